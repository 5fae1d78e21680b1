-- Suggestion: hierarchies that are proposed for labels.

CREATE OR REPLACE FUNCTION bkpriv.suggest_hierarchy(dataset text, attribute text)
    RETURNS TABLE (levels int, gcp float8, gcp_now float8, statement text, reason text)
    LANGUAGE plpython3u ROWS 3
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].suggestion.suggest_hierarchy(dataset, attribute)
$$;
COMMENT ON FUNCTION bkpriv.suggest_hierarchy(text, text) IS
    'Proposes hierarchies for a column of labels, by prefixes or as a list.
Neighbouring bands of numbers, such as 0-4 and 5-9, are united; codes go up to their first
characters; other labels are brought together by how alike their records are in the other
quasi-identifiers. Of a sensitive column only labels are read. Nothing is declared.
levels: how many there are between the labels and *. gcp: what k-anonymous groups would lose with it
(mondrian, in the mean over k of 5, 10 and 20; drafts, which publish improves); gcp_now: without it.
statement: to be run, once you have read it; NULL: see the reason. The row that loses
least is first, and what loses more than gcp_now is not proposed';
GRANT EXECUTE ON FUNCTION bkpriv.suggest_hierarchy(text, text) TO bkpriv_publisher;
