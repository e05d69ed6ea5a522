/** Two words that are spelled nearly alike and mean two things, by the domain in which they meet. */
export interface NearSpelled {
  readonly domain: "medicine" | "money" | "engineering";
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

function pairsOf(domain: NearSpelled["domain"], list: string): NearSpelled[] {
  return list.split(" ").map((pair) => {
    const [one = "", other = ""] = pair.split("/");
    return { domain, one, other };
  });
}

/** Pairs for tests of what must never be taken for one another. */
export const nearSpelled: readonly NearSpelled[] = [
  ...pairsOf("medicine", MEDICINE),
  ...pairsOf("money", MONEY),
  ...pairsOf("engineering", ENGINEERING),
];
