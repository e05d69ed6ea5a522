import { createStemmer } from "../text/tokens.ts";

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  (
    "paid:pay bought:buy sent:send sold:sell lost:lose left:leave kept:keep met:meet taught:teach told:tell built:build spent:spend began:begin " +
    "begun:begin chose:choose chosen:choose wrote:write written:write broke:break broken:break stole:steal stolen:steal caught:catch drove:drive " +
    "flew:fly grew:grow held:hold led:lead lent:lend rose:rise ran:run saw:see seen:see spoke:speak spoken:speak stood:stand swore:swear thought:think " +
    "withdrew:withdraw withdrawn:withdraw wore:wear children:child wives:wife husbands:husband men:man women:woman feet:foot teeth:tooth people:person " +
    "died:die dying:die buried:bury lives:life dependants:dependent dependant:dependent cemetary:cemetery recieve:receive licence:license allowance:stipend allowances:stipend"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

/** The root by which words of questions are compared: Porter's, with irregular forms first. */
export function createWordStemmer(): (word: string) => string {
  const porter = createStemmer();
  return (word) => porter(IRREGULAR.get(word) ?? word);
}
