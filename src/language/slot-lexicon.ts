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
  "give me",
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

/** Groups of words and phrases that ask for the same in any domain. */
export const SAME: readonly (readonly string[])[] = [
  ["lawyer", "attorney", "legal counsel"],
  ["cost", "price", "charge", "fee", "pay for", "expense", "bill"],
  ["reimburse", "reimbursement", "pay back", "paid back", "refund", "cover", "pay", "pay for"],
  ["pay", "payment", "paycheck", "check", "money", "payout", "paid"],
  ["cover", "pay for", "pay", "covered", "coverage", "provide"],
  ["limit", "cap", "maximum", "max", "most", "highest", "ceiling"],
  ["minimum", "min", "least", "lowest"],
  ["deadline", "time limit", "due date", "how long do i have", "how long do we have", "how many days", "cutoff"],
  ["how soon", "how fast", "how quickly", "when"],
  ["apply", "application", "apply for", "sign up", "sign up for", "enroll", "enrol", "register", "enrollment", "registration"],
  ["request", "ask", "ask for", "order", "apply for"],
  ["request", "get", "obtain", "order"],
  ["submit", "send", "send in", "turn in", "hand in", "file", "provide", "mail in", "put in"],
  ["evidence", "record", "document", "proof", "paperwork", "papers", "documentation"],
  ["prove", "show", "proof", "demonstrate"],
  ["bring", "take with me", "take", "carry"],
  ["fill out", "complete", "fill in"],
  ["online", "on the internet", "internet", "website", "web", "on the web", "electronically"],
  ["phone number", "telephone number", "hotline number", "number to call", "number"],
  ["contact", "call", "reach", "talk to", "get in touch", "get in touch with", "help"],
  ["counseling", "counselor", "therapy", "talk to someone", "talk to somebody", "talk therapy"],
  ["exam", "examination", "appointment"],
  ["exam", "test", "examination"],
  ["miss", "missed", "didn't make it", "did not make it", "didn't show up", "failed to show", "not show up", "no show", "skip"],
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
  ],
  ["lose", "expire", "run out", "end", "stop"],
  ["remarry", "get married again", "gets married again", "got married again", "married again", "marry again", "remarried", "remarriage"],
  ["divorce", "divorced", "split up"],
  ["die", "death", "passed away", "pass away", "died", "deceased", "passing"],
  ["casket", "coffin", "burial", "funeral"],
  ["cemetery", "graveyard", "burial ground"],
  ["buried", "burial", "bury", "interred", "laid to rest", "inter"],
  ["school", "college", "university"],
  ["change", "switch", "transfer to", "transferring", "transfer", "move to"],
  ["tutor", "tutoring", "tutorial"],
  ["book", "textbook", "books and supplies"],
  ["stipend", "allowance", "payment"],
  ["license", "licensing", "licence", "certification", "certificate test"],
  ["percentage", "percent", "rating", "share"],
  ["ownership", "own", "owner"],
  ["net worth", "assets", "how much can i own", "own"],
  ["qualify", "eligible", "eligibility", "entitled", "meet the requirements", "requirement", "need"],
  ["presume", "presumptive", "presumed", "assumed", "automatically"],
  ["list", "which", "what are"],
  ["disease", "condition", "illness", "sickness", "disorder"],
  ["exposure", "exposed", "contact with", "being around", "around"],
  ["prescription", "medication", "medicine", "meds", "pills", "drug", "medicines"],
  ["ship", "mail", "deliver", "send", "mailed", "delivery"],
  ["address", "mailing address"],
  ["eyeglasses", "glasses", "spectacles"],
  ["doctor", "physician"],
  ["guide dog", "seeing eye dog", "service dog"],
  ["healthy", "in good health", "without a disability"],
  ["additional", "extra", "added", "add", "further", "more", "each additional"],
  ["support", "take care of", "look after"],
  [
    "separate",
    "separated",
    "get out",
    "got out",
    "getting out",
    "discharged",
    "left the service",
    "leave the service",
    "separation",
    "discharge",
  ],
  ["second payer", "secondary payer", "pay after", "pays after", "pay second"],
  ["original", "first", "initial"],
  ["claim", "application", "file"],
  ["appeal", "review", "review of my decision"],
  ["decision", "denial", "denied", "rating decision"],
  ["allowed", "permitted", "can", "may"],
  ["wartime", "war time", "period of war"],
  ["period", "dates"],
  ["hospital stay", "in the hospital", "hospitalized", "hospitalization", "inpatient stay"],
  ["temporary", "temp"],
  ["stationed", "served", "lived", "assigned", "based"],
  ["time", "days", "years", "months"],
  ["monthly", "per month", "each month", "a month"],
  ["yearly", "annual", "per year", "each year", "a year", "annually"],
  ["house", "home"],
  ["automobile", "car", "vehicle", "auto"],
  ["job", "work", "employment"],
  ["company", "business", "firm"],
  ["begin", "start", "commence"],
  ["stop", "quit", "end", "cancel"],
  ["fix", "repair", "correct"],
  ["rise", "increase", "go up", "raise"],
  ["fall", "decrease", "go down", "drop", "reduce"],
  ["symptom", "sign"],
  ["prevent", "avoid", "protect against", "protect myself"],
  ["infected", "infection", "catch", "get sick"],
  ["spread", "transmit", "transmission", "passed on"],
  ["origin", "source", "come from", "originate"],
  ["vaccine", "vaccination", "shot", "immunization"],
  ["treat", "treatment", "cure", "therapy"],
  ["lost", "missing", "misplaced", "can't find", "lose"],
  ["stolen", "stole", "theft"],
  ["arrive", "arrival", "come", "delivered", "get here"],
  ["balance", "how much money"],
  ["purchase", "buy", "bought"],
  ["trip", "travel", "vacation"],
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
