import { stemmer } from "stemmer";
import { describe, expect, it } from "vitest";
import { Vocabulary, type VocabularyOwner } from "./vocabulary.ts";

const open: VocabularyOwner = { tenant: null, access: "public" };
const acme: VocabularyOwner = { tenant: "acme", access: "public" };
const words = (text: string) => new Map(text.split(" ").map((word) => [word, stemmer(word)]));
const seesOpen = ({ tenant }: VocabularyOwner) => tenant === null;
const seesAll = () => true;

describe("Vocabulary", () => {
  it("repairs to words of documents that the asker may read, and to no others", () => {
    const vocabulary = new Vocabulary();
    vocabulary.add(open, words("pension disability"));
    vocabulary.add(acme, words("zyloprim"));
    expect(vocabulary.repair("pensoin", seesOpen)).toBe("pension");
    expect(vocabulary.repair("zylopirm", seesOpen)).toBeNull();
    expect(vocabulary.repair("zylopirm", seesAll)).toBe("zyloprim");
    expect(vocabulary.has(stemmer("zyloprim"), seesOpen)).toBe(false);
  });

  it("names every word that may have been meant, of documents that the asker may read", () => {
    const vocabulary = new Vocabulary();
    vocabulary.add(open, words("hearing hearings bearing"));
    vocabulary.add(acme, words("hiring"));
    expect(vocabulary.meant("hering", seesOpen)).toEqual(["hearing"]);
    expect(vocabulary.meant("hering", seesAll).sort()).toEqual(["hearing", "hiring"]);
    expect(vocabulary.meant("heri", seesAll)).toEqual([]);
  });

  it("takes up words added after the first repair and drops words whose last document went", () => {
    const vocabulary = new Vocabulary();
    vocabulary.add(open, words("pension"));
    expect(vocabulary.repair("disabilty", seesOpen)).toBeNull();
    const disability = vocabulary.add(open, words("disability"));
    vocabulary.add(open, words("disability"));
    expect(vocabulary.repair("disabilty", seesOpen)).toBe("disability");
    vocabulary.remove(open, disability);
    expect(vocabulary.repair("disabilty", seesOpen)).toBe("disability");
    vocabulary.remove(open, disability);
    expect(vocabulary.repair("disabilty", seesOpen)).toBeNull();
    expect(vocabulary.has(stemmer("disability"), seesOpen)).toBe(false);
    vocabulary.add(open, words("disability"));
    expect(vocabulary.repair("disabilty", seesOpen)).toBe("disability");
  });
});
