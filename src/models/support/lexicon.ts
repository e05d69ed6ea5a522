/** Words of the language that decide whether two sentences say the same. Lower case, whole words. */

/** Turn what follows them around, until the clause ends. */
export const NEGATIONS = list(
  "no not never none nobody nothing neither nor without cannot cant wont dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt wouldnt shouldnt couldnt mustnt lack lacks lacking lacked unable fail fails failed refuse refuses refused deny denies denied exclude excludes excluding except",
);

/** End the reach of a negation. */
export const CLAUSE_BREAKS = list(
  "but however although though while whereas because since unless if which who that there it they he she we you yet despite",
);

/** Words that carry no topic besides those of the stop list: what the text is, and how it goes on. */
export const META_WORDS = list(
  "passage passages article articles text summary overall additionally furthermore moreover finally based given provided according mention mentioned mentions stated states note following information detail details also however therefore thus conclusion summarize author answer question context source sources",
);

/** With a negation they say that the evidence is silent: "does not specify". */
export const TELLING = list(
  "specify specified mention mentioned information indicate indicated provide provided state stated clear listed known answer discuss discussed address",
);

/** Words of one gender; a claim that has some while the evidence has none guesses. */
export const GENDERS = [
  list("he him his himself man men boy father son brother husband mr gentleman male"),
  list("she her hers herself woman women girl mother daughter sister wife mrs ms lady female"),
] as const;

export const UNIVERSALS = list(
  "all every each always everyone everything entire entirely only solely exclusively completely fully both any never none nobody",
);
export const HEDGES = list(
  "may might could can possibly perhaps maybe potentially likely probably some sometimes often usually generally typically mostly many several suggest suggests suggested appear appears seem seems reportedly allegedly about approximately around nearly almost roughly up",
);
export const OBLIGATIONS = list(
  "must shall required requires require need needs necessary mandatory obligated has have should recommended",
);
export const SUPERLATIVES = list(
  "best worst most least largest biggest smallest highest lowest greatest first last oldest newest longest shortest fastest main major primary leading top",
);
export const CAUSES = list(
  "because due cause causes caused causing lead leads led leading result results resulted resulting therefore thus hence ensure ensures ensuring allow allows allowing help helps helping provide provides providing reason",
);
export const EVALUATIONS = list(
  "great good excellent popular delicious friendly welcoming cozy perfect amazing wonderful ideal unique diverse variety wide range important essential crucial significant significantly known praised renowned convenient comfortable quality highly positive negative mixed poor bad disappointing concern concerns",
);

/**
 * Pairs of sides that exclude each other: a sentence with words of one side is not borne out by a sentence that has only words of the other.
 * The kind names what is turned around.
 */
export type OppositeKind = "comparison" | "order" | "quantity" | "modality" | "meaning";

const OPPOSITES: readonly (readonly [OppositeKind, string, string])[] = [
  [
    "comparison",
    "more higher greater above over exceed exceeds exceeded exceeding increase increases increased increasing rise rises rose rising risen grow grows grew growing grown gain gains gained larger bigger longer better faster stronger most highest maximum largest taller older upward up improve improves improved expand expanded raise raised",
    "less fewer lower below under decrease decreases decreased decreasing decline declines declined declining fall falls fell falling fallen drop drops dropped dropping reduce reduces reduced reducing loss losses smaller shorter worse slower weaker least lowest minimum smallest younger downward down worsen worsened shrink shrank shrunk cut cuts",
  ],
  [
    "order",
    "before prior earlier previous previously preceding until till",
    "after following later subsequent subsequently afterwards since thereafter",
  ],
  [
    "order",
    "first initial initially beginning begin begins began start starts started open opens opened opening",
    "last final finally end ends ended ending finish finished close closes closed closing",
  ],
  [
    "quantity",
    "all every each always everyone entire entirely fully completely",
    "some few several partly partially sometimes rarely part certain most none never",
  ],
  ["quantity", "many most majority often frequently usually numerous", "few minority rarely seldom little"],
  ["quantity", "one single once alone only", "multiple several many twice both various"],
  ["modality", "must required shall mandatory need needs obligated compulsory", "may might can could optional voluntary optionally"],
  [
    "modality",
    "will certain certainly definitely guaranteed always confirmed",
    "may might could possibly uncertain unlikely likely rumored alleged allegedly",
  ],
  [
    "meaning",
    "allow allows allowed permit permits permitted able can eligible entitled accept accepts accepted approve approves approved grant granted",
    "forbid forbids forbidden prohibit prohibits prohibited ban banned unable cannot ineligible deny denies denied reject rejects rejected refuse refused decline declined",
  ],
  ["meaning", "include includes included including", "exclude excludes excluded excluding except"],
  ["meaning", "win wins won winning winner victory beat defeated", "lose loses lost losing loser defeat"],
  [
    "meaning",
    "accept accepted agree agrees agreed support supports supported favor",
    "oppose opposes opposed disagree disagrees disagreed reject rejected against",
  ],
  [
    "meaning",
    "positive optimistic happy pleased satisfied good praise praised success successful successfully",
    "negative pessimistic unhappy disappointed dissatisfied bad criticize criticized failure unsuccessful unsuccessfully failed fails",
  ],
  ["meaning", "safe healthy benefit beneficial", "dangerous unsafe unhealthy harm harmful risk"],
  ["meaning", "alive born survive survived survives", "dead died dies killed death deceased"],
  ["meaning", "buy buys bought purchase purchased", "sell sells sold selling"],
  [
    "meaning",
    "arrive arrived arrives enter entered join joined joins",
    "leave left leaves exit exited quit resign resigned depart departed",
  ],
  ["meaning", "guilty convicted", "innocent acquitted"],
  ["meaning", "public", "private"],
  ["meaning", "new recent young modern", "old ancient former outdated"],
  ["meaning", "hot warm", "cold cool"],
  ["meaning", "wet humid rainy", "dry arid"],
  ["meaning", "fast quick quickly rapid rapidly", "slow slowly"],
  ["meaning", "easy simple easily", "difficult hard complex complicated"],
  ["meaning", "cheap affordable inexpensive free", "expensive costly overpriced"],
  ["meaning", "large big huge", "small little tiny"],
  ["meaning", "strong strongly", "weak weakly"],
  ["meaning", "early", "late"],
  ["meaning", "same similar identical equal", "different differ differs distinct unlike"],
  ["meaning", "north northern", "south southern"],
  ["meaning", "east eastern", "west western"],
  ["meaning", "left", "right"],
  ["meaning", "inside indoor indoors internal", "outside outdoor outdoors external"],
  ["meaning", "male man men boy father son brother husband he him his", "female woman women girl mother daughter sister wife she her hers"],
  ["meaning", "day daytime morning", "night nighttime evening"],
  ["meaning", "true correct accurate", "false incorrect wrong inaccurate"],
  ["meaning", "present available", "absent unavailable missing"],
  ["meaning", "legal lawful constitutional", "illegal unlawful unconstitutional"],
  ["meaning", "temporary temporarily", "permanent permanently"],
  ["meaning", "formal upscale classy", "casual divey"],
  ["meaning", "love loves loved like likes liked enjoy enjoyed", "hate hates hated dislike dislikes disliked"],
  ["meaning", "add adds added", "remove removes removed subtract"],
  ["meaning", "push pushes pushed", "pull pulls pulled"],
  ["meaning", "employ hire hired", "fire fired dismissed"],
  ["meaning", "acute short-term", "chronic long-term"],
  ["meaning", "voluntary voluntarily", "involuntary involuntarily compulsory"],
  ["meaning", "domestic", "foreign international"],
  ["meaning", "maximum most", "minimum least"],
  ["meaning", "taxable", "nontaxable tax-free exempt"],
  ["meaning", "online electronically", "offline in-person"],
  ["meaning", "active honorable", "inactive dishonorable"],
  ["meaning", "felony felonies", "misdemeanor misdemeanors"],
  ["meaning", "married spouse", "unmarried single divorced"],
  ["meaning", "physical", "mental"],
  ["meaning", "written", "oral verbal"],
  ["meaning", "full", "empty partial"],
  ["meaning", "direct directly", "indirect indirectly"],
  ["meaning", "continue continued continues remain remained", "stop stopped stops cease ceased"],
  ["meaning", "send sent give gave", "receive received receives get got"],
  ["meaning", "teacher professor", "student pupil"],
  ["meaning", "buyer customer client", "seller vendor"],
  ["meaning", "employer", "employee"],
  ["meaning", "summer", "winter"],
  ["meaning", "spring", "autumn fall"],
];

export interface OppositeSide {
  readonly kind: OppositeKind;
  readonly own: ReadonlySet<string>;
  readonly other: ReadonlySet<string>;
}

/** Sides on which a word stands. */
export const OPPOSITE_SIDES: ReadonlyMap<string, readonly OppositeSide[]> = sidesByWord();

function sidesByWord(): Map<string, OppositeSide[]> {
  const sides = new Map<string, OppositeSide[]>();
  for (const [kind, one, two] of OPPOSITES) {
    const pair = [list(one), list(two)] as const;
    for (const [own, other] of [pair, [pair[1], pair[0]] as const]) {
      for (const word of own) sides.set(word, [...(sides.get(word) ?? []), { kind, own, other }]);
    }
  }
  return sides;
}

function list(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
