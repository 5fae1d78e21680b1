-- Attacks: what readers find out of a release whom no guarantee covers, by trying.

CREATE OR REPLACE FUNCTION bkpriv.attack(release bigint, attacker text DEFAULT 'learner', options jsonb DEFAULT '{}')
    RETURNS TABLE (metric text, value float8, sensitive text)
    LANGUAGE plpython3u VOLATILE ROWS 20
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].attack.attack(release, attacker, options)
$$;
COMMENT ON FUNCTION bkpriv.attack(bigint, text, jsonb) IS
    'Plays an attacker on a release, and measures what they find out; no guarantee.
accuracy: share of people whose value they guess; log_loss: mean of -ln of the belief in the truth;
baseline_...: the same of a classifier that was trained on all other people, without the release, as
is legitimate. claimed: beliefs above sure (.9); claimed_right: those that are true. breached:
people of whom they are sure, and right, where the baseline believed less than unsure (.5). worst:
largest distance of the two beliefs, unblended, in bits; over_t: people for whom it is above t of
the policy. sensitive: the column that a figure is about. attacker: majority, who believes what a
group shows; learner, who learns from the release alone how values depend on quasi-identifiers;
informed, who knows what the baseline does; without_groups, who does not know who is in which group
of a generalized release. options: sure, unsure, model ("logistic" or "bayes"), folds, seed; of
learner and informed estimator; of learner rounds; of without_groups bandwidth, as in bt_privacy.
concerned, movable: people in groups that may hold others, and who may be in another group;
not_inferred: of whom no belief is known. All is kept in bkpriv.attacks, unless the transaction may
not write';
GRANT EXECUTE ON FUNCTION bkpriv.attack(bigint, text, jsonb) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.explain_attack(release bigint, attacker text DEFAULT 'learner', options jsonb DEFAULT '{}')
    RETURNS TABLE (group_id int, qi jsonb, sensitive text, baseline float8, believed float8, records bigint,
                   correct bigint, breached bigint, distance float8)
    LANGUAGE plpython3u VOLATILE ROWS 10000
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].attack.explain_attack(release, attacker, options)
$$;
COMMENT ON FUNCTION bkpriv.explain_attack(bigint, text, jsonb) IS
    'What an attacker believes most of each published cell, the most damaging first; as attack().
baseline, believed: belief in that value without the release and with it. records: people of the
cell in the group; correct: those who have the value; breached: those whom attack() counts.
distance: that of the two beliefs, unblended, in bits. Of several sensitive columns each has rows:
values name theirs';
GRANT EXECUTE ON FUNCTION bkpriv.explain_attack(bigint, text, jsonb) TO bkpriv_publisher, bkpriv_auditor;
