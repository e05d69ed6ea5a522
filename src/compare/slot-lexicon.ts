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

/**
 * Groups of words and phrases that may ask for the same in any domain. A word may stand in several; its first group says what stands for it when questions are
 * brought into one wording.
 */
export const SAME: readonly (readonly string[])[] = [
  // Money
  ["cover", "pay for", "pays for", "covered", "coverage", "pay", "paid", "reimburse", "reimbursement", "pay back", "paid back", "refund"],
  ["cost", "price", "charge", "fee", "expense", "bill", "how expensive", "costs"],
  ["payment", "check", "paycheck", "money", "payout", "deposit"],
  ["payment", "pay", "paid", "payable"],
  ["cover", "provide", "payable"],
  ["stipend", "allowance", "payment"],
  ["monthly", "per month", "each month", "a month", "every month"],
  ["yearly", "annual", "per year", "each year", "a year", "annually", "every year"],
  ["balance", "how much money"],
  ["net worth", "assets", "how much can i own"],
  // Limits and time
  [
    "deadline",
    "time limit",
    "due date",
    "how long do i have",
    "how long do we have",
    "how long have i got",
    "how many days do i have",
    "cutoff",
  ],
  ["deadline", "how many days", "how long"],
  ["maximum", "max", "most", "highest", "cap", "limit", "ceiling", "upper limit"],
  ["minimum", "min", "least", "lowest"],
  ["how soon", "how fast", "how quickly", "when"],
  ["expire", "run out", "end", "lose", "ends"],
  ["period", "dates", "time frame"],
  ["wartime", "war time", "period of war"],
  ["length of stay", "how many days", "minimum time", "how long"],
  // Asking for something and sending something
  ["apply", "application", "apply for", "sign up", "sign up for", "enroll", "enrol", "register", "enrollment", "registration"],
  ["submit", "send in", "turn in", "hand in", "file", "mail in", "put in", "filing", "sending in", "turned in", "sent in"],
  ["submit", "send", "provide"],
  ["request", "ask", "ask for", "order", "asking for", "requesting"],
  ["request", "get", "obtain"],
  ["evidence", "record", "document", "proof", "paperwork", "papers", "documentation"],
  ["prove", "show", "demonstrate", "proof"],
  ["claim", "application", "file a claim"],
  ["appeal", "review", "review of my decision"],
  ["decision", "denial", "rating decision", "decision letter"],
  ["fill out", "complete", "fill in"],
  ["bring", "take with me", "carry"],
  ["mail", "ship", "deliver", "mailed", "delivery", "delivered", "send by mail"],
  ["mail", "send", "by post"],
  ["address", "mailing address"],
  ["online", "on the internet", "internet", "website", "web", "on the web", "electronically"],
  ["phone number", "telephone number", "hotline number", "number to call"],
  ["phone number", "number"],
  ["contact", "call", "reach", "get in touch", "get in touch with", "talk to"],
  ["cancel", "call off"],
  ["change", "switch", "transferring", "transfer to", "move to", "swap"],
  // Rights
  ["eligible", "qualify", "eligibility", "entitled", "entitlement", "meet the requirements", "requirement"],
  ["allowed", "permitted", "legal", "ok"],
  ["percentage", "percent", "rating", "share"],
  ["ownership", "owner", "owned", "need to own"],
  ["additional", "extra", "added", "add", "further", "each additional"],
  ["presumptive", "presume", "presumed", "presumed to be caused", "automatically connected"],
  ["list of", "list"],
  // Health
  ["disease", "condition", "illness", "sickness", "disorder"],
  ["exposure", "exposed", "contact with", "being around", "been around"],
  ["medication", "prescription", "medicine", "meds", "pills", "drug", "medicines", "rx"],
  ["counseling", "counselor", "talk to someone", "talk to somebody", "talk therapy", "counselling", "therapist"],
  ["exam", "examination", "checkup", "exam appointment"],
  ["exam", "appointment", "test"],
  ["doctor", "physician", "md"],
  ["glasses", "eyeglasses", "spectacles"],
  ["guide dog", "seeing eye dog", "service dog"],
  ["wheelchair", "mobility chair"],
  ["hospital stay", "in the hospital", "hospitalized", "hospitalization", "inpatient stay", "time in the hospital"],
  ["healthy", "in good health", "without a disability", "not disabled"],
  ["symptom", "sign"],
  ["treatment", "treat", "cure", "therapy"],
  ["vaccine", "vaccination", "shot", "immunization", "jab"],
  ["infection", "infected", "catch", "get sick", "contract"],
  ["spread", "transmit", "transmission", "passed on", "contagious"],
  ["protect myself", "prevent", "avoid", "prevention", "protect against"],
  // Life
  [
    "remarry",
    "get married again",
    "gets married again",
    "got married again",
    "getting married again",
    "married again",
    "marry again",
    "remarried",
    "remarriage",
  ],
  ["divorce", "divorced", "split up"],
  ["death", "die", "passed away", "pass away", "died", "deceased", "passing"],
  ["burial", "buried", "bury", "interred", "laid to rest", "inter", "funeral", "casket", "coffin", "grave"],
  ["cemetery", "graveyard", "burial ground"],
  [
    "miss",
    "missed",
    "didn't make it",
    "did not make it",
    "didn't make it to",
    "didn't show up",
    "failed to show",
    "no show",
    "skip",
    "skipped",
  ],
  [
    "can't pay",
    "cannot pay",
    "can't afford",
    "unable to pay",
    "behind on",
    "fall behind",
    "behind on payments",
    "trouble paying",
    "struggling to pay",
    "can't make payments",
  ],
  [
    "leave the service",
    "separate",
    "separated",
    "get out",
    "got out",
    "getting out",
    "left the service",
    "separation",
    "discharge",
    "discharged",
    "after service",
  ],
  ["stationed", "served", "based", "assigned"],
  ["support", "take care of", "look after"],
  ["lawyer", "attorney", "legal counsel", "solicitor"],
  ["original", "first", "initial"],
  ["second payer", "secondary payer", "pay after", "pays after", "pay second", "pays second"],
  ["temporary", "temp"],
  ["lost", "missing", "misplaced", "can't find"],
  ["stolen", "stole", "theft"],
  ["arrive", "arrival", "get here", "show up"],
  // School and work
  ["school", "college", "university"],
  ["tutor", "tutoring", "tutorial"],
  ["book", "textbook"],
  ["certification", "license", "licensing", "licence", "certificate"],
  ["certification exam", "licensing test", "license exam", "certification test", "licensing exam", "license test"],
  ["job", "work", "employment"],
  ["business", "company", "firm"],
  ["train", "training", "learn"],
  // Things
  ["house", "home"],
  ["car", "automobile", "vehicle", "auto"],
  ["buy", "purchase", "bought"],
  ["trip", "travel", "vacation"],
  ["begin", "start", "commence"],
  ["stop", "quit", "end", "discontinue"],
  ["repair", "fix"],
  ["increase", "rise", "go up", "raise"],
  ["decrease", "fall", "go down", "drop", "reduce"],
  ["origin", "source", "come from", "originate"],
];

/** Words that exclude each other; those of the dictionary come on top. */
export const OPPOSITES: readonly (readonly [string, string])[] = [
  ["before", "after"],
  ["start", "stop"],
  ["begin", "end"],
  ["gain", "lose"],
  ["schedule", "cancel"],
  ["transfer", "revoke"],
  ["add", "remove"],
  ["approve", "deny"],
  ["accept", "reject"],
  ["allow", "forbid"],
  ["include", "exclude"],
  ["increase", "decrease"],
  ["raise", "lower"],
  ["activate", "deactivate"],
  ["enable", "disable"],
  ["enroll", "withdraw"],
  ["deposit", "withdraw"],
  ["open", "close"],
  ["buy", "sell"],
  ["send", "receive"],
  ["lend", "borrow"],
  ["join", "leave"],
  ["minimum", "maximum"],
  ["more", "less"],
  ["temporary", "permanent"],
  ["primary", "secondary"],
  ["original", "secondary"],
  ["original", "supplemental"],
  ["inpatient", "outpatient"],
  ["single", "married"],
  ["public", "private"],
  ["virtual", "physical"],
  ["child", "adult"],
  ["initial", "final"],
  ["income", "expense"],
  ["lock", "unlock"],
  ["freeze", "unfreeze"],
  ["pending", "failed"],
  ["top-up", "withdrawal"],
  ["renew", "cancel"],
  ["grant", "revoke"],
  ["disposable", "virtual"],
];

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
