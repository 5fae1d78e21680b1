-- Sequence: knowledge is the dataset owner's, and for auditors to see, like its hierarchies; beliefs are
-- part of the history (40_history.sql guards them).

COMMENT ON TABLE bkpriv.sequential_knowledge IS
    'What adversaries know of how sensitive values follow each other.
Values that never change, and what is learned from the releases themselves, have no contexts';
COMMENT ON COLUMN bkpriv.sequential_knowledge.dataset IS 'Dataset that it is about';
COMMENT ON COLUMN bkpriv.sequential_knowledge.name IS 'Name that policies take';
COMMENT ON COLUMN bkpriv.sequential_knowledge.kind IS 'domain, mined, incremental or constant';
COMMENT ON COLUMN bkpriv.sequential_knowledge.memory IS 'How many latest values count; NULL: all';
COMMENT ON COLUMN bkpriv.sequential_knowledge.labels IS 'Values; numbers in other columns are places in it, from 0';
COMMENT ON COLUMN bkpriv.sequential_knowledge.parents IS 'Contexts as a trie: the context without its oldest value, of each context';
COMMENT ON COLUMN bkpriv.sequential_knowledge.oldest IS 'Oldest value of each context';
COMMENT ON COLUMN bkpriv.sequential_knowledge.offsets IS 'Where the next values of each context begin and end';
COMMENT ON COLUMN bkpriv.sequential_knowledge.following IS 'Next values, context after context';
COMMENT ON COLUMN bkpriv.sequential_knowledge.probabilities IS 'Probability of each next value';
COMMENT ON COLUMN bkpriv.sequential_knowledge.support IS 'How often each was seen; NULL: it was not mined';
COMMENT ON COLUMN bkpriv.sequential_knowledge.set_at IS 'When it was stated last';
GRANT SELECT ON bkpriv.sequential_knowledge TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.sequential_knowledge FOR SELECT
    USING (dataset IN (SELECT name FROM bkpriv.dataset));

COMMENT ON TABLE bkpriv.release_belief IS
    'What adversaries who remember earlier releases believe after a release; append-only';
COMMENT ON COLUMN bkpriv.release_belief.release IS 'Release after which they are believed';
COMMENT ON COLUMN bkpriv.release_belief.digest IS 'Digest of all that the beliefs follow from';
COMMENT ON COLUMN bkpriv.release_belief.knowledge IS 'Sequential knowledge of the adversary';
COMMENT ON COLUMN bkpriv.release_belief.probabilities IS 'Of each respondent, group after group, the probability of each value of the group';
GRANT SELECT ON bkpriv.release_belief TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_belief FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
