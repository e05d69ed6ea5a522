/** Two statements with the same title, from two documents of one field. */
export interface OwnConflict {
  readonly title: string;
  readonly one: string;
  readonly other: string;
}

/** By field: real conflicts, and similar statements about two different things. */
export const ownConflicts: Readonly<Record<string, { readonly real: readonly OwnConflict[]; readonly alike: readonly OwnConflict[] }>> = {
  ferry: {
    real: [
      {
        title: "Dogs on board",
        one: "Dogs are allowed in the lounge of the Tern.",
        other: "Dogs are not allowed in the lounge of the Tern.",
      },
      { title: "Luggage", one: "Each passenger may bring two suitcases.", other: "Each passenger may bring three suitcases." },
      { title: "Bicycles", one: "Bicycles travel free of charge on weekdays.", other: "Bicycles cost 5 euros on weekdays." },
      { title: "Lounge", one: "The lounge is open to all passengers.", other: "The lounge is open only to holders of a Harbor Pass." },
    ],
    alike: [
      {
        title: "First ship",
        one: "The first ship to Anholt sails at 6:15 in summer.",
        other: "The first ship to Anholt sails at 7:05 in winter.",
      },
      { title: "Fares", one: "A car up to 6 m pays 48 euros.", other: "A lorry up to 6 m pays 96 euros." },
      { title: "Cabins", one: "A cabin for two costs 60 euros.", other: "A cabin for four costs 95 euros." },
      { title: "Season", one: "In 2024 the season began on 3 May.", other: "In 2025 the season began on 9 May." },
      { title: "Islands", one: "The crossing to Anholt takes three hours.", other: "The crossing to Læsø takes ninety minutes." },
      { title: "Meals", one: "Breakfast is served until 10.", other: "Dinner is served until 21." },
    ],
  },
  brewing: {
    real: [
      { title: "Starter", one: "The starter must be stirred every day.", other: "The starter must never be stirred." },
      { title: "Dry hopping", one: "Dry hops stay in the tank for four days.", other: "Dry hops stay in the tank for nine days." },
      {
        title: "Cleaning of kettles",
        one: "Caustic soda is safe for aluminium kettles.",
        other: "Caustic soda is not safe for aluminium kettles.",
      },
      {
        title: "Tax",
        one: "Home brewers have to register with the tax office.",
        other: "Home brewers do not have to register with the tax office.",
      },
    ],
    alike: [
      { title: "Yeast strains", one: "Strain W-34 ferments at 12 degrees.", other: "Strain K-97 ferments at 19 degrees." },
      { title: "Boiling", one: "Pilsner is boiled for 90 minutes.", other: "Porter is boiled for 60 minutes." },
      { title: "Batches", one: "The first batch yielded 20 litres.", other: "The second batch yielded 23 litres." },
      { title: "Malt", one: "Pale malt may be stored for a year.", other: "Crushed malt may be stored for a month." },
      { title: "Lids", one: "The lid stays on while the wort cools.", other: "The lid comes off while the wort boils." },
      { title: "Water", one: "Soft water has less than 7 degrees of hardness.", other: "Hard water has more than 14 degrees of hardness." },
    ],
  },
  campsite: {
    real: [
      { title: "Departure", one: "Guests leave their pitch by 11 a.m.", other: "Guests leave their pitch by noon." },
      { title: "Open fires", one: "Open fires are forbidden on Birch Field.", other: "Open fires are permitted on Birch Field." },
      { title: "Deposit", one: "The deposit for a key is 20 euros.", other: "The deposit for a key is 35 euros." },
      { title: "Quiet hours", one: "Quiet hours begin at 10 p.m.", other: "Quiet hours begin at 11 p.m." },
    ],
    alike: [
      { title: "Prices in seasons", one: "In July a tent costs 12 euros a night.", other: "In October a tent costs 8 euros a night." },
      { title: "Fields", one: "Birch Field has 40 pitches.", other: "Alder Field has 65 pitches." },
      { title: "Bands", one: "Visitors wear a yellow band.", other: "Guests wear a blue band." },
      { title: "Shop hours", one: "On Sundays the shop opens at nine.", other: "On weekdays the shop opens at seven." },
      { title: "Stays", one: "Tents may stay 21 nights.", other: "Caravans may stay 90 nights." },
      { title: "Cleaning", one: "The washrooms are cleaned four times a day.", other: "The kitchen is cleaned twice a day." },
    ],
  },
};
