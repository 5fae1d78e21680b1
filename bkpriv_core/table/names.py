"""Names: given names and surnames that are common in several languages.

Left out are names that towns, countries, months, colours and occupations have, too, such as
Florence, Jordan, April, Brown and Baker: a column of these is none of people.
"""

from __future__ import annotations

__all__ = ["COMMON_NAMES"]

_GIVEN = """
    adam ahmed aisha aleksander alessandro alexander alexandra ali alice alicia amelie amina amy
    ana andrea andreas andrew andrzej angela anita ann anna anne annika antoine anton antonio
    ayşe barbara ben benjamin bernard bernd beth birgit björn bob brian brigitte bruno camille
    carla carlos carmen carol caroline catherine cem charles chiara chloé chris christian
    christina christine christopher claire clara claudia cristina daniel daniela david deborah
    diana diego dieter dimitri dirk dora dorothy edward elena eleni elif elisabeth elizabeth
    ella elsa emilia emily emma emre enrico eric erik ernst esther eva fatima federica felix
    fernando filip francesca francesco francisco frank françois frederik fritz gabriel gabriela
    georg george gerd giorgos giovanni giulia giuseppe grace greta guillaume gustav hana hanna
    hannah hans harry hassan heike heinrich helen helena helga helmut henrik henry hiroshi horst
    hugo ibrahim ida igor ines ingrid irene isabel isabella ivan ivo jack jacob jacques jakob
    jakub james jan jana jane janet jean jennifer jens jessica jiří joan joanna johan johann
    johanna johannes john jonas jorge joseph josé joão juan julia julie jürgen kai karen karin
    karl karolina katarina katarzyna katharina kathrin katja kenji kevin khadija klaus krzysztof
    lara lars laura lea lena leonie lia lina linda lisa louise luca lucas lucie lucía luis luisa
    lukas léa magdalena maja manfred manon manuel marc marco marek margaret maria marie marina
    mario mark markus marta martha martin martina mary mateusz mathieu mathilde matteo matthew
    max maximilian mehmet mei mia michael michał michel michelle miguel mikael mohamed mohammed
    monika muhammad mustafa nadia nancy natalia nathalie nicolas nicole niels nils nina noah
    nora olga oliver olivia olli omar oscar patricia patrick paul paula pavel pedro peter petra
    philipp pia pierre piotr priya rachel rafael rahul raj ralf rebecca renate ricardo richard
    rita robert roberto rui ruth samuel sandra sara sarah sebastian sergei sergio simon simone
    sophia sophie stefan stefania stefanie steven susan susanne sven sylvie takashi tara thomas
    thorsten tim tobias tom tomasz ulrich ursula uwe valentina vera viktor vincent vladimir
    walter werner wilhelm william wolfgang xavier yasmin yuki yusuf yves zeynep zoé
"""
_SURNAMES = """
    ahmadi ahmed alvarez andersen andersson becker bernard bianchi chaudhary chen colombo davies
    demir diaz dubois dupont durand esposito evans fernandes fernandez ferrari garcia gonzalez
    hansen hernandez hoffmann horvat hughes ivanov ivanova jansen jensen johansson johnson jones
    jovanović karlsson kowalska kowalski kumar larsen lefebvre leroy lewis li liu lopez martinez
    meyer moreau moreno müller nagy nguyen nielsen novak nováková nowak olsen papadopoulos patel
    pereira perez petersen petrov popescu ramirez ricci robinson rodrigues rodriguez romano
    rossi russo sanchez schmidt schröder schulz schwarz sharma silva simon singh smirnov suzuki
    svensson tanaka thompson torres tran vogel wagner wang watanabe weber williams wilson wright
    wójcik yamamoto zhang zimmermann
"""

COMMON_NAMES = tuple(sorted({*_GIVEN.split(), *_SURNAMES.split()}))
"""Names in small letters, as words of texts are compared."""
