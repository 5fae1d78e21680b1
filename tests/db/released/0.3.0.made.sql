-- What was run under version 0.3.0 (commit c86791f) to make the database of 0.3.0.dump.sql. Roles must
-- exist: upgrade_publisher, upgrade_auditor, upgrade_both, upgrade_reader.

CREATE EXTENSION bkpriv CASCADE;
SELECT bkpriv.grant_publisher('upgrade_publisher'), bkpriv.grant_auditor('upgrade_auditor'),
    bkpriv.grant_publisher('upgrade_both'), bkpriv.grant_auditor('upgrade_both');

CREATE SCHEMA ward;
CREATE TYPE ward.stage AS ENUM ('mild', 'grave', 'dire');
CREATE TABLE ward.patient AS
SELECT 20 + i * 7 % 40 AS age, CASE i % 3 WHEN 0 THEN 'f' ELSE 'm' END AS sex,
    (ARRAY['Aln', 'Brix', 'Corve', 'Dunn'])[1 + i * i % 4] AS city,
    (ARRAY['asthma', 'flu', 'ulcer', 'fracture'])[1 + (i * i % 11 + i % 5) % 4] AS disease
FROM generate_series(1, 96) AS i;
CREATE TABLE ward.person AS SELECT i AS id, 20 + i % 24 AS age, chr(65 + i * i % 5) AS unit FROM generate_series(1, 72) AS i;
CREATE TABLE ward.case AS
SELECT 20 + i % 24 AS age, (ARRAY['mild', 'grave', 'dire'])[1 + i * i % 3]::ward.stage AS stage, chr(65 + i % 4) AS unit
FROM generate_series(1, 72) AS i;
CREATE TABLE ward.city (city text, region text, root text);
INSERT INTO ward.city VALUES ('Aln', 'north', '*'), ('Brix', 'north', '*'), ('Corve', 'south', '*'), ('Dunn', 'south', '*');
GRANT USAGE ON SCHEMA ward TO upgrade_reader, upgrade_both;
GRANT USAGE, CREATE ON SCHEMA ward TO upgrade_publisher;
GRANT SELECT ON ward.person TO upgrade_publisher;

SELECT bkpriv.set_policy('plain', '{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}');
SELECT bkpriv.set_policy('beliefs', '{"k_anonymity": {"k": 3}, "bt_privacy": [{"bandwidth": 0.3, "t": 0.4}], "ck_safety": {"c": 0.95, "k": 1}}');
SELECT bkpriv.register_dataset('patients', 'ward.patient', ARRAY['age', 'sex', 'city'], 'disease');
SELECT bkpriv.set_hierarchy('patients', 'city', 'ward.city');
SELECT bkpriv.set_interval_hierarchy('patients', 'age', ARRAY[10, 20]);
SELECT bkpriv.register_dataset('cases', 'ward.case', ARRAY['age', 'unit'], 'stage');

SELECT bkpriv.watch('ward.patient'), bkpriv.watch('ward.person');

-- 1: superseded by 2. 3: withdrawn. 4, 5: two views. 6: whole columns. 7: stored, and of an enumeration.
SELECT bkpriv.publish('patients', 'plain', 'ward.patients');
SELECT bkpriv.publish('patients', 'beliefs', 'ward.patients');
SELECT bkpriv.publish('patients', 'plain', 'ward.gone');
SELECT bkpriv.withdraw(3, 'a patient objected');
SELECT bkpriv.publish('patients', 'plain', 'ward.buckets', method => 'bucketize');
SELECT bkpriv.publish('patients', 'plain', 'ward.anatomy', method => 'anatomy');
SELECT bkpriv.publish('patients', 'plain', 'ward.whole', method => 'incognito');
SELECT bkpriv.publish('cases', 'plain', 'ward.cases', options => '{"materialized": true}');
GRANT SELECT ON ward.patients TO upgrade_reader;

-- 8: of somebody else, with respondents and bins; its source changes, and 9 is made afterwards.
SET ROLE upgrade_publisher;
SELECT bkpriv.register_dataset('people', 'ward.person', ARRAY['age'], 'unit', 'id', bins => '{"age": 3}');
SELECT bkpriv.publish('people', 'plain', 'ward.people');
RESET ROLE;
INSERT INTO ward.person VALUES (73, 30, 'A');
SET ROLE upgrade_publisher;
SELECT bkpriv.publish('people', 'plain', 'ward.fresh');
RESET ROLE;

-- 10: randomized. 11: several sensitive columns and records per person, a column that passes through, periods. 12: its next
-- period. 13, 14: grown. 15: certified beside 14.
-- 16: with counterfeits.
SELECT bkpriv.set_policy('uncertain', '{"max_disclosure": {"tau": 0.9}}');
SELECT bkpriv.publish('cases', 'uncertain', 'ward.drawn', 'randomize', options => '{"scheme": "rr-both"}');
CREATE TABLE ward.visit AS
SELECT i % 60 AS patient, date '2024-01-01' + i % 2 * 31 + i / 60 AS day, 20 + i % 60 * 7 % 40 AS age,
    CASE i % 60 % 3 WHEN 0 THEN 'f' ELSE 'm' END AS sex,
    (ARRAY['asthma', 'flu', 'ulcer', 'fracture'])[1 + (i * i % 11 + i % 5) % 4] AS diagnosis,
    (ARRAY['rest', 'drug', 'cast'])[1 + (i * i % 7 + i % 3) % 3] AS treatment, i % 9 AS nights
FROM generate_series(1, 240) AS i;
SELECT bkpriv.set_policy('each', '{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2, "sensitive": "diagnosis"}}');
SELECT bkpriv.register_dataset('visits', 'ward.visit', ARRAY['age', 'sex'], ARRAY['diagnosis', 'treatment'], 'patient', 'day',
    bins => '{"day": "month"}', attributes => ARRAY['nights']);
SELECT bkpriv.publish('visits', 'each', 'ward.visits', period => '2024-01-01', options => '{"max_records_per_person": "all"}');
SELECT bkpriv.publish('visits', 'each', 'ward.visits', period => '2024-02-01', options => '{"max_records_per_person": 1, "latest_by": "day"}');
CREATE TABLE ward.member AS SELECT i AS id, 20 + i % 24 AS age, chr(65 + i * i % 5) AS unit FROM generate_series(1, 72) AS i;
SELECT bkpriv.set_policy('unsure', '{"k_anonymity": {"k": 3}, "bt_privacy": [{"bandwidth": 0.3, "t": 0.4}]}');
SELECT bkpriv.register_dataset('members', 'ward.member', ARRAY['age'], 'unit', 'id');
SELECT bkpriv.publish('members', 'plain', 'ward.members');
INSERT INTO ward.member SELECT i, 20 + i % 24, chr(65 + i * i % 5) FROM generate_series(73, 96) AS i;
SELECT bkpriv.publish('members', 'plain', 'ward.members', options => '{"grow": true}');
SELECT bkpriv.publish('members', 'unsure', 'ward.again');
SELECT bkpriv.publish('cases', 'plain', 'ward.filled', 'js_reduce', options => '{"unfit": "counterfeit"}');
SELECT bkpriv.set_sequential_knowledge('members', 'kept', 'constant');

CREATE VIEW ward.overview AS SELECT release, status, stale FROM bkpriv.releases;
SELECT * FROM bkpriv.audit(2);
SET ROLE upgrade_auditor;
SELECT * FROM bkpriv.audit(8, '{"k_anonymity": {"k": 9}}');
RESET ROLE;
