-- Sequence: knowledge is the dataset owner's, and for auditors to see, like its hierarchies; beliefs are
-- part of the history (40_history.sql guards them).

COMMENT ON TABLE bkpriv.sequential_knowledge IS
    'What adversaries know of how sensitive values follow each other: contexts, as a trie of earlier values, and the probabilities of what comes next; none are kept of values that never change, nor of what is learned from the releases themselves';
GRANT SELECT ON bkpriv.sequential_knowledge TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT, UPDATE (kind, memory, labels, parents, oldest, offsets, following, probabilities, support, set_at, dropped)
    ON bkpriv.sequential_knowledge TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.sequential_knowledge FOR SELECT
    USING (dataset IN (SELECT name FROM bkpriv.dataset));
CREATE POLICY change ON bkpriv.sequential_knowledge
    USING (dataset IN (SELECT name FROM bkpriv.dataset WHERE bkpriv_internal.owns(owner)));
CREATE TRIGGER drop_row BEFORE UPDATE OF dropped ON bkpriv.sequential_knowledge
    FOR EACH ROW WHEN (NEW.dropped) EXECUTE FUNCTION bkpriv_internal.drop_row();

COMMENT ON TABLE bkpriv.release_belief IS
    'What adversaries who remember earlier releases believe after a release, as those who published knew it: of each published respondent, group after group, the probability of each value of the group in the order of codes; digest: of all that the beliefs follow from; append-only';
GRANT SELECT ON bkpriv.release_belief TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release_belief TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release_belief FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_belief FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE bkpriv_internal.owns(r.owner)));
