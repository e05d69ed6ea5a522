"""Stored cases that the kernel must reproduce: token ids of our own sentences, combined by a fixed rule."""

from __future__ import annotations

import random
import re

MAX_TOKENS = 256
MAX_PAIR_TOKENS = 176

# (title › heading, passage, question, paraphrase of the question)
SUBJECTS = [
    ("Library card › Fees", "A library card is free for people who live in the county. Everybody else pays $25 a year. A lost card costs $3 to replace.", "How much is a library card for somebody from another county?", "What does a non-resident pay for a card?"),
    ("Allotment rules › Water", "Water is turned on from 1 April to 31 October. Hoses must not be left running. Plot holders share the cost of repairs to the pump in equal parts.", "When can I water my plot from the tap?", "From which date to which date is there water?"),
    ("Ferry › Bicycles and dogs", "Bicycles travel free on weekdays. At weekends a bicycle costs 4.50 euros each way. Dogs stay on a lead on the open deck unless they are assistance dogs.", "Do I pay for my bike on a Saturday?", "Is taking a bicycle on the ferry free at the weekend?"),
    ("Washing machine › Error codes", "E18: the pump is blocked. Switch the machine off, pull the plug, open the flap at the bottom right and clean the filter. E23: water in the base; call the service.", "What does E18 mean?", "My washer shows E18, what is wrong?"),
    ("Tenancy › Notice", "Either side may end the tenancy with three months' notice in writing. A notice by e-mail is not valid. If rent is two months late, the landlord may end it at once.", "Can I give notice by e-mail?", "Is it enough to write an e-mail to end my lease?"),
    ("Swimming pool › Opening hours", "Monday to Friday 6:30 to 21:00, Saturday and Sunday 9:00 to 18:00. Children under eight need an adult in the water. The pool is closed on public holidays.", "Is the pool open on Sunday evening at eight?", "Until what time can one swim on Sundays?"),
    ("Bread › Rye sourdough", "Mix 300 g of rye flour with 300 ml of warm water and 60 g of starter. Let it stand for 12 to 16 hours at 26 degrees. Bake for 55 minutes, the first 15 at 250 degrees.", "How long does the dough rest?", "How many hours must the sourdough stand?"),
    ("Grant › Who may apply", "Artists who have lived in the city for at least two years may apply, unless they received the grant in the past five years. Students of the academy are not eligible.", "May a student of the academy apply for the grant?", "Are academy students eligible?"),
    ("Tablets › How to take", "Adults take one tablet twice a day with a glass of water. Do not take more than 4 tablets in 24 hours. Do not drink grapefruit juice during the treatment.", "What is the most I may take in a day?", "How many tablets per day at most?"),
    ("Returns › Sale items", "Goods bought in the sale can be exchanged within 14 days but not refunded. Underwear and opened cosmetics are never taken back. Bring the receipt or the order number.", "Can I get my money back for a sale item?", "Are reduced goods refunded?"),
    ("Telescope › Collimation", "Point the telescope at a bright star and turn the image slightly out of focus. If the rings are not centred, turn the three screws of the secondary mirror by an eighth of a turn at a time.", "What do I do if the rings are off centre?", "How is the secondary mirror adjusted?"),
    ("Parking permit › Visitors", "Each household gets 20 visitor permits a year. A permit holds for one day in zones B and C. Additional permits cost 2.80 each, and no more than 50 are sold per year.", "In which zones do visitor permits hold?", "Where may a visitor park with the permit?"),
]


def words_to_pieces(text: str, vocabulary: dict[str, int]) -> list[int]:
    """Applies WordPiece to plain ASCII text, which suffices for these sentences."""
    ids = []
    for word in re.findall(r"[a-z0-9]+|[^a-z0-9\s]", text.lower().replace("›", "-")):
        start = 0
        while start < len(word):
            end = next(end for end in range(len(word), start, -1) if ("##" if start else "") + word[start:end] in vocabulary)
            ids.append(vocabulary[("##" if start else "") + word[start:end]])
            start = end
    return ids


def make_cases(pieces: list[str], count: int = 200, seed: int = 13) -> list[list[int]]:
    """Returns token ids: a third of the cases are pairs [CLS] question [SEP] text [SEP]; of the others, [CLS] text [SEP], half are
    questions.
    """
    vocabulary = {piece: id for id, piece in enumerate(pieces)}
    draw = random.Random(seed)
    cases = []
    for number in range(count):
        heading, passage, question, reworded = SUBJECTS[number % len(SUBJECTS)]
        parts = [passage, *(other[1] for other in draw.sample(SUBJECTS, 8))][: draw.choice((1, 1, 1, 2, 2, 3, 9))]
        draw.shuffle(parts)
        text = (heading + " " if draw.random() < 0.5 else "") + " ".join(parts)
        asked = reworded if number % 2 else question
        if number % 3 == 0:
            text = asked
        if number % 3 == 1:
            pair = [vocabulary["[CLS]"], *words_to_pieces(asked, vocabulary), vocabulary["[SEP]"]]
            cases.append([*pair, *words_to_pieces(text, vocabulary)[: MAX_PAIR_TOKENS - len(pair) - 1], vocabulary["[SEP]"]])
            continue
        cases.append([vocabulary["[CLS]"], *words_to_pieces(text, vocabulary)[: MAX_TOKENS - 2], vocabulary["[SEP]"]])
    return cases
