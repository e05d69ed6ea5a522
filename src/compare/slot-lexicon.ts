/** General vocabulary of questions: nothing here belongs to one domain. Phrases match as whole words, longest first. */

/** Whom a question is about, besides the reader. The first word names the person. */
export const PERSONS: readonly (readonly string[])[] = [
  ["surviving spouse", "widow", "widower", "surviving wife", "surviving husband", "widowed spouse"],
  ["former spouse", "ex-wife", "ex-husband", "ex-spouse", "divorced spouse"],
  ["spouse", "husband", "wife", "spouses", "my partner", "hubby"],
  ["child", "kid", "son", "daughter", "stepchild", "stepson", "stepdaughter", "minor", "my boy", "my girl"],
  ["grandchild", "grandson", "granddaughter"],
  ["parent", "mother", "father", "mom", "dad", "mum", "mama", "papa", "stepparent", "stepfather", "stepmother", "folks"],
  ["grandparent", "grandmother", "grandfather", "grandma", "grandpa", "granddad"],
  ["sibling", "brother", "sister"],
  ["other relative", "uncle", "aunt", "cousin", "nephew", "niece", "great-uncle"],
  ["next of kin"],
  ["dependent", "dependant"],
  ["family member", "family members", "relative", "my family"],
  ["survivor"],
  ["caregiver", "caretaker", "carer"],
  ["friend"],
  ["reservist", "reserve member", "reserves", "in the reserve"],
  ["guard member", "national guard", "guardsman", "guardswoman", "in the guard"],
  ["service member", "servicemember", "active-duty", "on active duty", "still serving", "still in the service"],
  ["veteran", "vet", "ex-service member", "former service member"],
  ["student"],
  ["patient"],
  ["pregnant woman", "pregnant women", "pregnant"],
  ["infant", "baby", "newborn"],
  ["woman", "female", "lady"],
  ["man", "male", "gentleman"],
  ["senior", "elderly", "older adult", "old people"],
];

/** Persons that say nothing where the reader is meant anyway, and wider words that a narrower one makes superfluous. */
export const WIDER_PERSONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["dependent", ["child", "spouse", "parent", "surviving spouse"]],
  ["family member", ["child", "spouse", "parent", "surviving spouse", "sibling"]],
  ["survivor", ["surviving spouse", "child"]],
]);

/** Armed branches and the like: who served where decides rules. */
export const BRANCHES: readonly (readonly string[])[] = [
  ["army", "soldier"],
  ["navy", "sailor"],
  ["air force", "airman"],
  ["marines", "marine corps", "marine"],
  ["coast guard"],
  ["space force"],
];

/** States of the US. Countries are known from the platform. */
export const STATES =
  "alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|hawaii|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|new hampshire|new jersey|new mexico|new york|north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|washington|west virginia|wisconsin|wyoming|district of columbia|puerto rico|guam|american samoa".split(
    "|",
  );

/** Countries and territories whose addresses are served like those at home. */
export const HOME_COUNTRIES: ReadonlySet<string> = new Set([
  "united states",
  "us",
  "usa",
  "u.s. virgin islands",
  "puerto rico",
  "guam",
  "american samoa",
  "northern mariana islands",
]);

/** Places outside the country without a name. */
export const ABROAD: readonly string[] = [
  "overseas",
  "abroad",
  "foreign country",
  "another country",
  "other countries",
  "outside the country",
  "outside the us",
  "outside the united states",
  "internationally",
];

/** Times told by where the speaker stands. */
export const PERIODS: readonly (readonly string[])[] = [
  ["today"],
  ["tonight", "this evening"],
  ["tomorrow"],
  ["yesterday"],
  ["this week"],
  ["next week"],
  ["last week"],
  ["this month"],
  ["next month"],
  ["last month"],
  ["this year"],
  ["next year"],
  ["last year"],
  ["weekend", "this weekend"],
  ...["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((day) => [day]),
  ["morning"],
  ["afternoon"],
];

/** Words that take something away. Written without apostrophe, as the tokens are. */
export const NEGATIONS: ReadonlySet<string> = new Set(
  (
    "not no never none neither nor without cannot unable except unless ineligible " +
    "isnt arent wasnt werent dont doesnt didnt wont wouldnt cant couldnt shouldnt hasnt havent hadnt aint mustnt neednt"
  ).split(" "),
);

/** Phrases that hold a negation and deny nothing, or ask nothing. */
export const EMPTY_PHRASES: readonly string[] = [
  "no matter",
  "whether or not",
  "not only",
  "or not",
  "why not",
  "now what",
  "go about",
  "in order to",
  "as well",
  "at all",
  "a lot of",
  "kind of",
  "sort of",
  "able to",
  "supposed to",
  "thank you",
  "can you tell me",
  "can you explain",
  "can you please",
  "could you please",
  "could you tell me",
  "would you tell me",
  "please tell me",
  "please explain",
  "tell me",
  "tell me about",
  "let me know",
  "show me",
  "help me",
  "i would like to",
  "i want to",
  "i need to",
  "i have to",
  "i was wondering",
  "i wonder",
  "i would like to know",
  "i want to know",
  "i need to know",
  "do you know",
  "is it possible",
  "is it allowed",
  "is there a way",
  "is there any way",
  "what do i do",
  "what should i do",
  "what can i do",
  "how do i go about",
];

/** Verbs and fillers that carry no topic: left out of what must be matched. */
export const LIGHT_WORDS: ReadonlySet<string> = new Set(
  (
    "get gets got getting gotten have has had having do does did doing done need needs needed want wants wanted use uses used using take takes took taken " +
    "taking make makes made making go goes went going gone give gives gave given giving come comes came coming put puts putting receive receives received " +
    "receiving recieve know knows find finds finding found tell help helps let lets keep keeps say says said mean means happen happens happened work works " +
    "try tries trying like please thanks hi hello hey just really actually exactly still yet already also even ever now currently right sure okay ok " +
    "possible way ways thing things something anything everything stuff lot lots much many more most some bit etc people person someone anyone " +
    "somebody anybody everyone one ones there here kind type sort types kinds able bother total each own owned old new per up out off over again " +
    "would could should can may might must shall will am is are was were be been being able due only long soon often main different current currently " +
    "together same time both another other else within during while since upon via under turn turning turned around"
  ).split(" "),
);

/** Words that change how much of something is meant: where all else is alike they tell questions apart. */
export const QUANTIFIERS: ReadonlySet<string> = new Set(
  "any all every only each both either other another first last own new more less".split(" "),
);

export const ORDINALS: ReadonlyMap<string, number> = new Map(
  "first second third fourth fifth sixth seventh eighth ninth tenth"
    .split(" ")
    .flatMap((word, i) => [[word, i + 1] as const, [`${i + 1}${["st", "nd", "rd"][i] ?? "th"}`, i + 1] as const]),
);

/** Any word for a person, also of the many that no question is told apart by. */
export const PERSON_WORDS: RegExp = new RegExp(
  String.raw`\b(?:${[
    ...PERSONS.flat(),
    "someone",
    "somebody",
    "anyone",
    "person",
    "people",
    "member",
    "worker",
    "employee",
    "doctor",
    "lawyer",
    "attorney",
    "customer",
  ]
    .filter((word) => !word.startsWith("my "))
    .join("|")})(?:s|'s|’s)?\b`,
  "iu",
);
