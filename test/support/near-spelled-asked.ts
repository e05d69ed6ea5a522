/** Two words that are spelled nearly alike and mean two things (or nothing at all), with what may be asked of both. */
export interface NearSpelledAsked {
  readonly domain: "nature" | "law" | "house";
  readonly one: string;
  readonly other: string;
}

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

function pairsOf(domain: NearSpelledAsked["domain"], list: string): NearSpelledAsked[] {
  return list.split(" ").map((pair) => {
    const [one = "", other = ""] = pair.split("/");
    return { domain, one, other };
  });
}

/** Pairs that were written after the code that keeps such words apart; other fields than those of `near-spelled.ts`. */
export const nearSpelledAsked: readonly NearSpelledAsked[] = [
  ...pairsOf("nature", NATURE),
  ...pairsOf("law", LAW),
  ...pairsOf("house", HOUSE),
];
