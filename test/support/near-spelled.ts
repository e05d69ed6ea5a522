/** Two words with similar spelling and different meanings (or none), by field. */
export interface NearSpelled<Domain extends string = string> {
  readonly domain: Domain;
  readonly one: string;
  readonly other: string;
}

const MEDICINE =
  "hypertension/hypotension hyperkalemia/hypokalemia hypernatremia/hyponatremia hypercalcemia/hypocalcemia hyperglycemia/hypoglycemia " +
  "hyperthyroidism/hypothyroidism hypermagnesemia/hypomagnesemia hyperthermia/hypothermia hyperphosphatemia/hypophosphatemia " +
  "hypervolemia/hypovolemia abduction/adduction diverticulitis/diverticulosis cyclosporine/cycloserine dysphagia/dysphasia " +
  "macrocytic/microcytic perineal/peroneal ileum/ilium nitrate/nitrite quinine/quinidine prednisone/prednisolone " +
  "hydroxyzine/hydralazine chlorpromazine/chlorpropamide estradiol/estriol penicillin/penicillamine cefixime/cefepime " +
  "nifedipine/nimodipine tachycardia/bradycardia vasodilator/vasoconstrictor arthritis/arteritis arthritis/arthrosis " +
  "neuritis/neurosis thyroiditis/thyroidosis dermatitis/dermatosis mucus/mucous palpation/palpitation sulfate/sulfite " +
  "phosphate/phosphite chlorate/chlorite intravenous/intervenous antenatal/antinatal prenatal/perinatal postpartum/prepartum " +
  "systole/diastole anuria/enuresis glucagon/glucose lactose/lactase maltose/maltase amylose/amylase cellulose/cellulase " +
  "sucrose/sucrase elastin/elastase pepsin/pepsinogen trypsin/trypsinogen fibrin/fibrinogen myosin/actomyosin clonidine/clonazepam " +
  "tramadol/trazodone metformin/metronidazole lamivudine/lamotrigine vinblastine/vincristine ephedrine/epinephrine " +
  "oxycodone/oxymorphone hydrocodone/hydromorphone sumatriptan/zolmitriptan losartan/valsartan carboplatin/cisplatin";
const MONEY =
  "employer/employee trainer/trainee mortgagor/mortgagee assignor/assignee grantor/grantee lessor/lessee payer/payee " +
  "insurer/insured donor/donee licensor/licensee consignor/consignee guarantor/guarantee creditor/debtor debit/credit " +
  "deductible/deduction premium/premier prepaid/postpaid prepay/repay insolvent/solvent taxable/nontaxable " +
  "refundable/nonrefundable transferable/nontransferable secured/unsecured insured/uninsured limited/unlimited " +
  "accrual/actuarial principal/principle statement/settlement endorser/endorsee appreciation/depreciation inflation/deflation " +
  "import/export inbound/outbound overpayment/underpayment overdraft/overdrawn oversubscribed/undersubscribed upgrade/downgrade " +
  "interstate/intrastate international/intranational monthly/bimonthly annual/biannual biannual/biennial weekly/biweekly " +
  "quarterly/quaternary lien/line tariff/tariffed royalty/loyalty annuity/annually equity/equality charge/change " +
  "alimony/acrimony fiduciary/judiciary indemnity/identity collateral/collaborator personal/personnel cashier/cashew broker/brokerage " +
  "platinum/palladium gold/golden silver/silverado everyday/everyone teal/real bluebird/blackbird sapphire/saphira " +
  "zelle/zello venmo/vimeo paypal/paypass visa/vista amex/annex";
const ENGINEERING =
  "install/uninstall link/unlink publish/unpublish deprecate/undeprecate mutable/immutable signed/unsigned safe/unsafe stable/unstable " +
  "sized/unsized borrowed/unborrowed initialized/uninitialized checked/unchecked wrapped/unwrapped blocking/nonblocking " +
  "synchronous/asynchronous encode/decode encoder/decoder compress/decompress serialize/deserialize increment/decrement " +
  "allocate/deallocate activate/deactivate enable/disable connect/disconnect attach/detach import/export input/output " +
  "upload/download upstream/downstream prefix/suffix infix/affix preinstall/postinstall prepack/postpack prepublish/prepublishonly " +
  "pretest/posttest macro/micro kilobyte/kibibyte megabyte/mebibyte gigabyte/gibibyte multicast/broadcast unicast/multicast " +
  "deno/demo yarn/barn vite/vitest webpack/webpacker rollup/rollout eslint/tslint babel/label parcel/partial bun/burn " +
  "tokio/tokyo serde/serge rustup/rustls rustfmt/rustdoc clippy/clip cargo/carbo pnpm/npm npmrc/nvmrc nodenv/nodeenv " +
  "shrinkwrap/shrinkage dependency/dependant devdependency/peerdependency lockfile/lookfile semver/server caret/carat tilde/title " +
  "trait/strait lifetime/lifeline closure/enclosure iterator/iterating generic/genetic module/modulo";

const NATURE =
  "stalactite/stalagmite cirrus/citrus cumulus/tumulus strata/stratus granite/granate basalt/basal feldspar/feldspath " +
  "pyrite/pyrites calcite/calcine dolomite/dolerite magnetite/magnesite hematite/hepatite barite/borate " +
  "cassiterite/lepidocrocite olivine/alunite beryl/beryllia tourmaline/turmeline kyanite/cyanide ethane/ethene " +
  "propane/propene butane/butene pentane/pentene hexane/hexene methanol/methanal ethanol/ethanal propanol/propanal " +
  "butanol/butanal benzene/benzine toluene/toluidine aniline/anilide chlorine/choline fluorine/fluorene bromine/bromide " +
  "iodine/iodide silicon/silicone boron/baron argon/organ cesium/cerium thallium/thulium tellurium/tantalum " +
  "rubidium/ruthenium rhodium/rhenium osmium/holmium ytterbium/yttrium terbium/erbium hafnium/hahnium niobium/nobelium " +
  "polonium/plutonium francium/fermium gallium/galium indium/iridium strontium/stronsium sodium/rhodium meiosis/mitosis " +
  "haploid/diploid phenotype/genotype exon/intron axon/auxin petal/sepal stamen/stigma anther/antler xylem/phylum " +
  "phloem/phlegm endotherm/ectotherm herbivore/omnivore carnivore/carnivora oviparous/ovoviviparous monocot/dicot " +
  "gymnosperm/angiosperm sparrow/spannow swallow/shallow plover/clover grouse/grousse thrush/brush wren/warren " +
  "heron/herring egret/egress kestrel/petrel martin/marten";
const LAW =
  "appellant/appellee plaintiff/plaintive testator/testatrix legator/legatee promisor/promisee bailor/bailee " +
  "vendor/vendee transferor/transferee obligor/obligee pledgor/pledgee settlor/settler trustor/trustee " +
  "franchisor/franchisee covenantor/covenantee indemnitor/indemnitee libelant/libelee larceny/lacerny slander/slender " +
  "libel/label statute/statue tort/torte bail/bailiff parole/payroll probate/probation deposition/disposition " +
  "arraignment/arrangement indictment/inducement subpoena/subpena injunction/conjunction affidavit/affirmant jurat/jurist " +
  "notary/notarial easement/basement encumbrance/remembrance escheat/escheator estoppel/estovers forfeiture/furniture " +
  "garnishment/varnishment naturalization/nationalization immigration/emigration immigrant/emigrant " +
  "citizenship/censorship asylum/asylee deportation/importation patent/potent copyright/copywriter trademark/trackmark " +
  "ordinance/ordnance council/counsel prosecute/persecute prescribe/proscribe adjudicate/abjudicate ratify/rectify " +
  "repeal/appeal enact/exact amend/emend recuse/excuse acquit/acquaint convict/convoke commute/compute " +
  "preelection/reelection bicameral/unicameral precinct/precise caucus/caulis referendum/memorandum plebiscite/plebeian " +
  "bylaw/byway quorum/forum zoning/zooning variance/variants setback/outback frontage/footage parcel/parol levee/levy " +
  "excise/exercise";
const HOUSE =
  "braise/bruise saute/salute poach/pouch blanch/bleach parboil/overboil simmer/shimmer marinate/marinade julienne/juliet " +
  "fricassee/fricative macaroon/macaron meringue/merengue custard/mustard sorbet/sherbet gelato/gelatin " +
  "cannoli/cannelloni ravioli/raviolo tortellini/tortelloni fettuccine/fettuccini rigatoni/rigaton ziti/zita " +
  "gnocchi/gnocco farro/faro bulgur/bulger millet/mullet quinoa/quinova polenta/placenta parsley/parsnip " +
  "cilantro/cilantra tarragon/paragon chervil/chevril marjoram/marjolaine cardamom/cardamine cumin/curcumin " +
  "turmeric/tumeric nutmeg/nutmeal cayenne/cheyenne paprika/paprica zucchini/zucchetto radicchio/radicle " +
  "rutabaga/rutaceae shallot/shallow endive/endure soprano/sopranino alto/altro tenor/tenon baritone/barytone " +
  "viola/violin cello/celli clarinet/clarinettist oboe/obeli bassoon/basset cornet/coronet trombone/trombonist " +
  "timpani/tympani adagio/adage allegro/allegory andante/andantino legato/legate staccato/stiletto sonata/sonatina " +
  "cantata/cantina minuet/minute rondo/rondeau fugue/fatigue prelude/interlude detergent/deterrent emulsion/emulation " +
  "primer/primrose varnish/tarnish mortar/mortal caulk/chalk trowel/towel chisel/chiseler drywall/drawwall joist/joust " +
  "rafter/raster lintel/lentil mullion/million transom/transon gable/cable soffit/soffite fascia/fascial";

const BODY =
  "ilium/ileum ureter/urethra peritoneum/perineum humerus/humorous malleus/malleolus carpal/tarsal metacarpal/metatarsal " +
  "trochanter/trochlea prostate/prostrate palate/palette tibia/tilia fibula/fibril radius/radium ulna/uvula pleura/plexus " +
  "cornea/cochlea sclera/sclerosis lumen/lumbar atrium/antrum bronchus/bronchitis larynx/pharynx thalamus/thymus " +
  "hypothalamus/epithalamus epidermis/hypodermis afferent/efferent abductor/adductor supination/pronation inversion/eversion " +
  "flexion/flexure arteriole/arteritis venule/valvule aphasia/aphagia apraxia/ataxia dysphagia/dysphasia dyspnea/apnea " +
  "anuria/dysuria polyuria/pyuria hematuria/hematoma leukopenia/leukemia thrombosis/thrombocytosis neuritis/neurosis " +
  "nephritis/nephrosis gastritis/gastrosis arthritis/arthrosis tonsillitis/tonsillolith hypoxia/hypercapnia " +
  "hypothermia/hyperthermia hypopnea/hyperpnea hypoplasia/hyperplasia hypotonia/hypertonia hyponatremia/hypernatremia " +
  "hypocalcemia/hypercalcemia hypovolemia/hypervolemia hypoacusis/hyperacusis tachycardia/bradycardia tachypnea/bradypnea " +
  "macrocytosis/microcytosis macroglossia/microglossia intramural/extramural intravascular/extravascular " +
  "intraocular/interocular preeclampsia/eclampsia prenatal/perinatal antenatal/postnatal systole/diastole endogenous/exogenous " +
  "isotonic/hypotonic acidosis/alkalosis anabolism/catabolism vasodilator/vasoconstrictor agonist/antagonist " +
  "prednisone/prednisolone clonidine/clonazepam hydroxyzine/hydralazine bupropion/buspirone celecoxib/celexa " +
  "lamotrigine/lamivudine metformin/metronidazole risperidone/ropinirole sumatriptan/sitagliptin tramadol/trazodone " +
  "vinblastine/vincristine zantac/zyrtec dopamine/dobutamine glipizide/glyburide";
const DEVICES =
  "resistor/transistor thyristor/thermistor diode/triode tetrode/pentode capacitor/compactor anode/cathode " +
  "inductance/conductance impedance/impendence rectifier/rectified oscillator/oscillograph multiplexer/demultiplexer " +
  "modulator/demodulator encoder/decoder transmitter/transponder receiver/receptor compiler/complier assembler/disassembler " +
  "router/rooter cache/cachet buffer/buffet kernel/kennel thread/tread socket/pocket packet/racket port/part daemon/demon " +
  "mutex/latex semaphore/metaphor stack/slack queue/quote hash/mash token/totem parser/purser lexer/laser bitmap/bitmask " +
  "byte/bite nibble/nipple kilobit/kilobyte megabit/megabyte gigabit/gigabyte millivolt/microvolt kilowatt/kilovolt " +
  "milliamp/microamp nanometer/manometer tachometer/thermometer barometer/bolometer voltmeter/wattmeter ammeter/ohmmeter " +
  "potentiometer/photometer hygrometer/hydrometer gyroscope/gyrostat stator/rotor gasket/basket piston/pistol flange/phalange " +
  "bearing/hearing bushing/brushing sprocket/rocket camshaft/crankshaft downlink/uplink upstream/downstream " +
  "bidirectional/unidirectional synchronous/asynchronous serial/aerial simplex/duplex analog/analogy unicast/multicast " +
  "preamble/premable inbound/outbound overflow/underflow overclock/underclock symmetric/asymmetric volatile/nonvolatile " +
  "deterministic/nondeterministic mutable/immutable parametric/parametrize encryption/decryption hypervisor/supervisor " +
  "hypertext/supertext";
const PLACES =
  "Slovakia/Slovenia Iran/Iraq Austria/Australia Niger/Nigeria Gambia/Zambia Mauritius/Mauritania Dominica/Domenica " +
  "Guinea/Guiana Mali/Malawi Latvia/Lativa Lithuania/Lithiania Georgia/Georgina Turkmenistan/Tajikistan Uganda/Luganda " +
  "Congo/Tongo Libya/Livia Jordan/Jardan Oman/Roman Chad/Chat Peru/Perm Cuba/Cuban Norway/Norwich Sweden/Swindon Bern/Bonn " +
  "Basel/Kassel Lausanne/Lucerne Geneva/Genova Verona/Vernona Ravenna/Varenna Budapest/Bucharest Belgrade/Belgorod Minsk/Pinsk " +
  "Tallinn/Tallin Kazan/Kazakh Riga/Rigi Varna/Varsa Dresden/Drexden Hanover/Andover Cordoba/Corboda Malaga/Malaya " +
  "Toledo/Tolero Valencia/Valentia Granada/Grenada Santander/Santandrea Oporto/Porto Braga/Praga Evora/Elvora " +
  "Marseille/Versailles Nancy/Nantes Rouen/Rodez Dijon/Dinan Calais/Cassis Tours/Tournus Lyon/Leon Brest/Bresse Arles/Arras " +
  "Peterson/Petersen Johnson/Johnston Andersen/Anderson Larsen/Larson Thompson/Thomson Philips/Phillips Clarke/Clerke " +
  "Stewart/Stuart Harmon/Harman Morrison/Morison Robertson/Robinson Dickson/Dixon Hansen/Hanson Nielsen/Nielson Reid/Reed " +
  "Marlow/Barlow Wharton/Warton Melville/Melvill Ashford/Ashfold Bradford/Bedford Hartford/Hertford Oxford/Orford " +
  "Stratford/Strafford Preston/Prestwich Bolton/Bolten Luton/Lufton Hexham/Wrexham";

function pairsIn<Domain extends string>(lists: Readonly<Record<Domain, string>>): NearSpelled<Domain>[] {
  return (Object.keys(lists) as Domain[]).flatMap((domain) =>
    lists[domain].split(" ").map((pair) => {
      const [one = "", other = ""] = pair.split("/");
      return { domain, one, other };
    }),
  );
}

/** Pairs of words that must never match each other. */
export const nearSpelled = pairsIn({ medicine: MEDICINE, money: MONEY, engineering: ENGINEERING });

/** Held-out pairs, written after the code that separates such words. */
export const nearSpelledAsked = pairsIn({ nature: NATURE, law: LAW, house: HOUSE, body: BODY, devices: DEVICES, places: PLACES });
