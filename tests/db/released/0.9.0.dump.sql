--
-- PostgreSQL database dump
--





SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: bkpriv; Type: SCHEMA; Schema: -; Owner: postgres
--

CREATE SCHEMA bkpriv;


ALTER SCHEMA bkpriv OWNER TO postgres;

--
-- Name: SCHEMA bkpriv; Type: COMMENT; Schema: -; Owner: postgres
--

COMMENT ON SCHEMA bkpriv IS 'Publishing tables safely against adversaries with background knowledge';


--
-- Name: plpython3u; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS plpython3u WITH SCHEMA pg_catalog;


--
-- Name: EXTENSION plpython3u; Type: COMMENT; Schema: -; Owner: 
--

COMMENT ON EXTENSION plpython3u IS 'PL/Python3U untrusted procedural language';


--
-- Name: bkpriv; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS bkpriv WITH SCHEMA bkpriv;


--
-- Name: EXTENSION bkpriv; Type: COMMENT; Schema: -; Owner: 
--

COMMENT ON EXTENSION bkpriv IS 'publish tables against adversaries with background knowledge, and measure what they would learn';


--
-- Name: upgrade_publisher; Type: SCHEMA; Schema: -; Owner: upgrade_publisher
--

CREATE SCHEMA upgrade_publisher;


ALTER SCHEMA upgrade_publisher OWNER TO upgrade_publisher;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: release_1; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_1 (
    age int4range,
    sex text,
    town text,
    disease text
);


ALTER TABLE bkpriv_release.release_1 OWNER TO postgres;

--
-- Name: release_2; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_2 (
    age integer,
    sex text,
    town text,
    group_id integer,
    disease text
);


ALTER TABLE bkpriv_release.release_2 OWNER TO postgres;

--
-- Name: release_2_sensitive; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_2_sensitive (
    group_id integer,
    disease text,
    count bigint
);


ALTER TABLE bkpriv_release.release_2_sensitive OWNER TO postgres;

--
-- Name: release_3; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_3 (
    age integer,
    sex text,
    town text,
    group_id integer
);


ALTER TABLE bkpriv_release.release_3 OWNER TO postgres;

--
-- Name: release_3_sensitive; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_3_sensitive (
    group_id integer,
    disease text,
    count bigint
);


ALTER TABLE bkpriv_release.release_3_sensitive OWNER TO postgres;

--
-- Name: release_4; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_4 (
    age int4range,
    town text,
    disease text
);


ALTER TABLE bkpriv_release.release_4 OWNER TO postgres;

--
-- Name: release_4_randomization; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_4_randomization (
    attribute text,
    value text,
    retention double precision,
    flip_probability double precision
);


ALTER TABLE bkpriv_release.release_4_randomization OWNER TO postgres;

--
-- Name: release_5; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_5 (
    age int4range,
    town text,
    disease text
);


ALTER TABLE bkpriv_release.release_5 OWNER TO postgres;

--
-- Name: release_6; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_6 (
    age int4range,
    sex text,
    disease text
);


ALTER TABLE bkpriv_release.release_6 OWNER TO postgres;

--
-- Name: release_7; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_7 (
    age int4range,
    sex text,
    disease text
);


ALTER TABLE bkpriv_release.release_7 OWNER TO postgres;

--
-- Name: belief; Type: TABLE; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE TABLE upgrade_publisher.belief (
    sex text,
    disease text,
    probability double precision
);


ALTER TABLE upgrade_publisher.belief OWNER TO upgrade_publisher;

--
-- Name: binned; Type: MATERIALIZED VIEW; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE MATERIALIZED VIEW upgrade_publisher.binned AS
 SELECT release_5.age,
    release_5.town,
    release_5.disease
   FROM bkpriv_release.release_5
  WITH NO DATA;


ALTER TABLE upgrade_publisher.binned OWNER TO upgrade_publisher;

--
-- Name: MATERIALIZED VIEW binned; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON MATERIALIZED VIEW upgrade_publisher.binned IS 'Published by bkpriv as release 5. One row for each record that is published. The records of a group have its quasi-identifiers, which are true of all of them, and nothing tells whose row is whose.';


--
-- Name: COLUMN binned.age; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.binned.age IS 'Quasi-identifier of the row''s group: a range with all values; NULL where values are missing, and without bounds where some are';


--
-- Name: COLUMN binned.town; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.binned.town IS 'Quasi-identifier of the row''s group: a value, or a label that stands for several, * for any';


--
-- Name: COLUMN binned.disease; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.binned.disease IS 'Sensitive value of the row''s record: as in the source';


--
-- Name: buckets; Type: VIEW; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE VIEW upgrade_publisher.buckets WITH (security_barrier='true') AS
 SELECT release_2.age,
    release_2.sex,
    release_2.town,
    release_2.group_id,
    release_2.disease
   FROM bkpriv_release.release_2;


ALTER TABLE upgrade_publisher.buckets OWNER TO upgrade_publisher;

--
-- Name: VIEW buckets; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON VIEW upgrade_publisher.buckets IS 'Published by bkpriv as release 2. One row for each record that is published, with its own quasi-identifiers and its group. Which records of a group have which of its sensitive values, nothing tells.';


--
-- Name: COLUMN buckets.age; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.buckets.age IS 'Quasi-identifier of the row''s record: as in the source';


--
-- Name: COLUMN buckets.sex; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.buckets.sex IS 'Quasi-identifier of the row''s record: as in the source';


--
-- Name: COLUMN buckets.town; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.buckets.town IS 'Quasi-identifier of the row''s record: as in the source';


--
-- Name: COLUMN buckets.group_id; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.buckets.group_id IS 'Number of the row''s group, by lot';


--
-- Name: COLUMN buckets.disease; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.buckets.disease IS 'Sensitive value of a record of the group, dealt to its rows by lot: as in the source';


--
-- Name: buckets_sensitive; Type: VIEW; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE VIEW upgrade_publisher.buckets_sensitive WITH (security_barrier='true') AS
 SELECT release_2_sensitive.group_id,
    release_2_sensitive.disease,
    release_2_sensitive.count
   FROM bkpriv_release.release_2_sensitive;


ALTER TABLE upgrade_publisher.buckets_sensitive OWNER TO upgrade_publisher;

--
-- Name: VIEW buckets_sensitive; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON VIEW upgrade_publisher.buckets_sensitive IS 'Published by bkpriv as release 2. One row for each group of records and each sensitive value in it.';


--
-- Name: COLUMN buckets_sensitive.group_id; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.buckets_sensitive.group_id IS 'Number of a group, as its records have it';


--
-- Name: COLUMN buckets_sensitive.disease; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.buckets_sensitive.disease IS 'Sensitive value that records of the group have: as in the source';


--
-- Name: COLUMN buckets_sensitive.count; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.buckets_sensitive.count IS 'How many of them have it';


--
-- Name: drawn; Type: VIEW; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE VIEW upgrade_publisher.drawn WITH (security_barrier='true') AS
 SELECT release_4.age,
    release_4.town,
    release_4.disease
   FROM bkpriv_release.release_4;


ALTER TABLE upgrade_publisher.drawn OWNER TO upgrade_publisher;

--
-- Name: VIEW drawn; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON VIEW upgrade_publisher.drawn IS 'Published by bkpriv as release 4. One row for each record. Any value may be another than the record''s own; a second view tells by what chance. Counts are to be estimated, not read off.';


--
-- Name: COLUMN drawn.age; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.drawn.age IS 'Quasi-identifier, the row''s own or another drawn in its place: the range of the bin that the value is in';


--
-- Name: COLUMN drawn.town; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.drawn.town IS 'Quasi-identifier, the row''s own or another drawn in its place: as in the source';


--
-- Name: COLUMN drawn.disease; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.drawn.disease IS 'Sensitive value, the row''s own or another drawn in its place: as in the source';


--
-- Name: drawn_randomization; Type: VIEW; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE VIEW upgrade_publisher.drawn_randomization WITH (security_barrier='true') AS
 SELECT release_4_randomization.attribute,
    release_4_randomization.value,
    release_4_randomization.retention,
    release_4_randomization.flip_probability
   FROM bkpriv_release.release_4_randomization;


ALTER TABLE upgrade_publisher.drawn_randomization OWNER TO upgrade_publisher;

--
-- Name: VIEW drawn_randomization; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON VIEW upgrade_publisher.drawn_randomization IS 'Published by bkpriv as release 4. One row for each value of each attribute, with the chances by which records show another than their own.';


--
-- Name: COLUMN drawn_randomization.attribute; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.drawn_randomization.attribute IS 'Name of an attribute';


--
-- Name: COLUMN drawn_randomization.value; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.drawn_randomization.value IS 'A value of it, as the records show it';


--
-- Name: COLUMN drawn_randomization.retention; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.drawn_randomization.retention IS 'Probability that a record with this value shows it';


--
-- Name: COLUMN drawn_randomization.flip_probability; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.drawn_randomization.flip_probability IS 'Probability that a record with another value shows this one';


--
-- Name: february; Type: VIEW; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE VIEW upgrade_publisher.february WITH (security_barrier='true') AS
 SELECT release_7.age,
    release_7.sex,
    release_7.disease
   FROM bkpriv_release.release_7;


ALTER TABLE upgrade_publisher.february OWNER TO upgrade_publisher;

--
-- Name: VIEW february; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON VIEW upgrade_publisher.february IS 'Published by bkpriv as release 7. One row for each record that is published. The records of a group have its quasi-identifiers, which are true of all of them, and nothing tells whose row is whose.';


--
-- Name: COLUMN february.age; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.february.age IS 'Quasi-identifier of the row''s group: a range with all values; NULL where values are missing, and without bounds where some are';


--
-- Name: COLUMN february.sex; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.february.sex IS 'Quasi-identifier of the row''s group: a value, or a label that stands for several, * for any';


--
-- Name: COLUMN february.disease; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.february.disease IS 'Sensitive value of the row''s record: as in the source';


--
-- Name: grouped; Type: VIEW; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE VIEW upgrade_publisher.grouped WITH (security_barrier='true') AS
 SELECT release_1.age,
    release_1.sex,
    release_1.town,
    release_1.disease
   FROM bkpriv_release.release_1;


ALTER TABLE upgrade_publisher.grouped OWNER TO upgrade_publisher;

--
-- Name: VIEW grouped; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON VIEW upgrade_publisher.grouped IS 'Published by bkpriv as release 1. One row for each record that is published. The records of a group have its quasi-identifiers, which are true of all of them, and nothing tells whose row is whose.';


--
-- Name: COLUMN grouped.age; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.grouped.age IS 'Quasi-identifier of the row''s group: a range with all values; NULL where values are missing, and without bounds where some are';


--
-- Name: COLUMN grouped.sex; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.grouped.sex IS 'Quasi-identifier of the row''s group: a value, or a label that stands for several, * for any';


--
-- Name: COLUMN grouped.town; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.grouped.town IS 'Quasi-identifier of the row''s group: a value, or a label that stands for several, * for any';


--
-- Name: COLUMN grouped.disease; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.grouped.disease IS 'Sensitive value of the row''s record: as in the source';


--
-- Name: january; Type: VIEW; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE VIEW upgrade_publisher.january WITH (security_barrier='true') AS
 SELECT release_6.age,
    release_6.sex,
    release_6.disease
   FROM bkpriv_release.release_6;


ALTER TABLE upgrade_publisher.january OWNER TO upgrade_publisher;

--
-- Name: VIEW january; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON VIEW upgrade_publisher.january IS 'Published by bkpriv as release 6. One row for each record that is published. The records of a group have its quasi-identifiers, which are true of all of them, and nothing tells whose row is whose.';


--
-- Name: COLUMN january.age; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.january.age IS 'Quasi-identifier of the row''s group: a range with all values; NULL where values are missing, and without bounds where some are';


--
-- Name: COLUMN january.sex; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.january.sex IS 'Quasi-identifier of the row''s group: a value, or a label that stands for several, * for any';


--
-- Name: COLUMN january.disease; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.january.disease IS 'Sensitive value of the row''s record: as in the source';


--
-- Name: patient; Type: TABLE; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE TABLE upgrade_publisher.patient (
    id integer,
    age integer,
    sex text,
    town text,
    disease text,
    smokes text,
    ward integer
);


ALTER TABLE upgrade_publisher.patient OWNER TO upgrade_publisher;

--
-- Name: town; Type: TABLE; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE TABLE upgrade_publisher.town (
    town text,
    region text,
    everywhere text
);


ALTER TABLE upgrade_publisher.town OWNER TO upgrade_publisher;

--
-- Name: two_views; Type: VIEW; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE VIEW upgrade_publisher.two_views WITH (security_barrier='true') AS
 SELECT release_3.age,
    release_3.sex,
    release_3.town,
    release_3.group_id
   FROM bkpriv_release.release_3;


ALTER TABLE upgrade_publisher.two_views OWNER TO upgrade_publisher;

--
-- Name: VIEW two_views; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON VIEW upgrade_publisher.two_views IS 'Published by bkpriv as release 3. One row for each record that is published, with its own quasi-identifiers and its group. Which records of a group have which of its sensitive values, nothing tells.';


--
-- Name: COLUMN two_views.age; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.two_views.age IS 'Quasi-identifier of the row''s record: as in the source';


--
-- Name: COLUMN two_views.sex; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.two_views.sex IS 'Quasi-identifier of the row''s record: as in the source';


--
-- Name: COLUMN two_views.town; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.two_views.town IS 'Quasi-identifier of the row''s record: as in the source';


--
-- Name: COLUMN two_views.group_id; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.two_views.group_id IS 'Number of the row''s group, by lot';


--
-- Name: two_views_sensitive; Type: VIEW; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE VIEW upgrade_publisher.two_views_sensitive WITH (security_barrier='true') AS
 SELECT release_3_sensitive.group_id,
    release_3_sensitive.disease,
    release_3_sensitive.count
   FROM bkpriv_release.release_3_sensitive;


ALTER TABLE upgrade_publisher.two_views_sensitive OWNER TO upgrade_publisher;

--
-- Name: VIEW two_views_sensitive; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON VIEW upgrade_publisher.two_views_sensitive IS 'Published by bkpriv as release 3. One row for each group of records and each sensitive value in it.';


--
-- Name: COLUMN two_views_sensitive.group_id; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.two_views_sensitive.group_id IS 'Number of a group, as its records have it';


--
-- Name: COLUMN two_views_sensitive.disease; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.two_views_sensitive.disease IS 'Sensitive value that records of the group have: as in the source';


--
-- Name: COLUMN two_views_sensitive.count; Type: COMMENT; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COMMENT ON COLUMN upgrade_publisher.two_views_sensitive.count IS 'How many of them have it';


--
-- Name: visit; Type: TABLE; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE TABLE upgrade_publisher.visit (
    id integer,
    age integer,
    sex text,
    day date,
    month integer,
    disease text
);


ALTER TABLE upgrade_publisher.visit OWNER TO upgrade_publisher;

--
-- Data for Name: attack_record; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.attack_record (attack, place, release, attacker, options, metric, value, sensitive, attacked_at, attacked_by) FROM stdin;
18	0	1	majority	{"seed": 0, "sure": 0.9, "folds": 5, "model": "logistic", "unsure": 0.5}	people	120	\N	2026-11-29 18:44:52.561761+00	upgrade_auditor
18	1	1	majority	{"seed": 0, "sure": 0.9, "folds": 5, "model": "logistic", "unsure": 0.5}	accuracy	0.5333333333333333	disease	2026-11-29 18:44:52.561761+00	upgrade_auditor
18	2	1	majority	{"seed": 0, "sure": 0.9, "folds": 5, "model": "logistic", "unsure": 0.5}	baseline_accuracy	0.025	disease	2026-11-29 18:44:52.561761+00	upgrade_auditor
18	3	1	majority	{"seed": 0, "sure": 0.9, "folds": 5, "model": "logistic", "unsure": 0.5}	log_loss	0.8164472238832168	disease	2026-11-29 18:44:52.561761+00	upgrade_auditor
18	4	1	majority	{"seed": 0, "sure": 0.9, "folds": 5, "model": "logistic", "unsure": 0.5}	baseline_log_loss	1.8035395023563427	disease	2026-11-29 18:44:52.561761+00	upgrade_auditor
18	5	1	majority	{"seed": 0, "sure": 0.9, "folds": 5, "model": "logistic", "unsure": 0.5}	breached	0	disease	2026-11-29 18:44:52.561761+00	upgrade_auditor
18	6	1	majority	{"seed": 0, "sure": 0.9, "folds": 5, "model": "logistic", "unsure": 0.5}	claimed	0	disease	2026-11-29 18:44:52.561761+00	upgrade_auditor
18	7	1	majority	{"seed": 0, "sure": 0.9, "folds": 5, "model": "logistic", "unsure": 0.5}	claimed_right	0	disease	2026-11-29 18:44:52.561761+00	upgrade_auditor
18	8	1	majority	{"seed": 0, "sure": 0.9, "folds": 5, "model": "logistic", "unsure": 0.5}	worst	0.4874246841520824	disease	2026-11-29 18:44:52.561761+00	upgrade_auditor
18	9	1	majority	{"seed": 0, "sure": 0.9, "folds": 5, "model": "logistic", "unsure": 0.5}	over_t	0	disease	2026-11-29 18:44:52.561761+00	upgrade_auditor
18	10	1	majority	{"seed": 0, "sure": 0.9, "folds": 5, "model": "logistic", "unsure": 0.5}	seconds	0.10283132099993963	\N	2026-11-29 18:44:52.561761+00	upgrade_auditor
\.


--
-- Data for Name: audit_record; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.audit_record (audit, place, release, requirement, parameters, threshold, worst, mean, vulnerable, satisfied, estimator, audited_at, audited_by) FROM stdin;
1	0	1	k_anonymity	{"k": 3}	3	4	5.633333333333334	0	t	exact	2026-11-29 18:44:51.702991+00	upgrade_publisher
1	1	1	l_diversity	{"l": 2, "variant": "distinct"}	2	2	2.35	0	t	exact	2026-11-29 18:44:51.702991+00	upgrade_publisher
1	2	1	bt_privacy	{"t": 0.6, "bandwidth": 0.3}	0.6	0.4333968704845055	0.3218744907168191	0	t	exact	2026-11-29 18:44:51.702991+00	upgrade_publisher
2	0	2	ck_safety	{"c": 0.9, "k": 1}	0.9	0.6000000000000001	0.5800000000000002	0	t	exact	2026-11-29 18:44:51.830402+00	upgrade_publisher
3	0	3	k_anonymity	{"k": 3}	3	4	5.633333333333334	0	t	exact	2026-11-29 18:44:51.917599+00	upgrade_publisher
3	1	3	l_diversity	{"l": 2, "variant": "distinct"}	2	2	2.35	0	t	exact	2026-11-29 18:44:51.917599+00	upgrade_publisher
3	2	3	bt_privacy	{"t": 0.6, "bandwidth": 0.3}	0.6	0.4157127646464547	0.3220519594297528	0	t	exact	2026-11-29 18:44:51.917599+00	upgrade_publisher
3	3	3	k_anonymity	{"k": 3, "together": [1, 2, 3]}	3	2	4.9	12	f	exact	2026-11-29 18:44:51.917599+00	upgrade_publisher
3	4	3	l_diversity	{"l": 2, "variant": "distinct", "together": [1, 2, 3]}	2	1	2.033333333333333	24	f	exact	2026-11-29 18:44:51.917599+00	upgrade_publisher
3	5	3	bt_privacy	{"t": 0.6, "together": [1, 2, 3], "bandwidth": 0.3}	0.6	0.6156137304990734	0.38276250014600055	11	f	exact	2026-11-29 18:44:51.917599+00	upgrade_publisher
4	0	4	max_disclosure	{"tau": 0.6, "scheme": "rr-both", "epsilon": {"age": null, "town": null, "disease": null}}	0.6	0.6	0.4118452380952381	0	t	exact	2026-11-29 18:44:52.104852+00	upgrade_publisher
5	0	5	k_anonymity	{"k": 4}	4	4	6.3	0	t	exact	2026-11-29 18:44:52.153989+00	upgrade_publisher
6	0	6	k_anonymity	{"k": 4}	4	4	4	0	t	exact	2026-11-29 18:44:52.204611+00	upgrade_publisher
7	0	7	k_anonymity	{"k": 4}	4	4	4	0	t	exact	2026-11-29 18:44:52.259227+00	upgrade_publisher
8	0	8	k_anonymity	{"k": 4}	4	4	5.633333333333334	0	t	exact	2026-11-29 18:44:52.313596+00	upgrade_publisher
8	1	8	k_anonymity	{"k": 4, "together": [1, 2, 3, 8]}	4	2	4.9	24	f	exact	2026-11-29 18:44:52.313596+00	upgrade_publisher
9	0	9	k_anonymity	{"k": 4}	4	4	5.633333333333334	0	t	exact	2026-11-29 18:44:52.38327+00	upgrade_publisher
9	1	9	k_anonymity	{"k": 4, "together": [1, 2, 3, 8, 9]}	4	2	4.9	24	f	exact	2026-11-29 18:44:52.38327+00	upgrade_publisher
10	0	1	k_anonymity	{"k": 3}	3	4	5.633333333333334	0	t	exact	2026-11-29 18:44:52.511854+00	upgrade_auditor
10	1	1	l_diversity	{"l": 2, "variant": "distinct"}	2	2	2.35	0	t	exact	2026-11-29 18:44:52.511854+00	upgrade_auditor
10	2	1	bt_privacy	{"t": 0.6, "bandwidth": 0.3}	0.6	0.4333968704845055	0.32187449071681906	0	t	exact	2026-11-29 18:44:52.511854+00	upgrade_auditor
11	0	2	ck_safety	{"c": 0.9, "k": 1}	0.9	0.6000000000000001	0.5800000000000002	0	t	exact	2026-11-29 18:44:52.511854+00	upgrade_auditor
12	0	3	k_anonymity	{"k": 3}	3	4	5.633333333333334	0	t	exact	2026-11-29 18:44:52.511854+00	upgrade_auditor
12	1	3	l_diversity	{"l": 2, "variant": "distinct"}	2	2	2.35	0	t	exact	2026-11-29 18:44:52.511854+00	upgrade_auditor
12	2	3	bt_privacy	{"t": 0.6, "bandwidth": 0.3}	0.6	0.4157127646464547	0.32205195942975284	0	t	exact	2026-11-29 18:44:52.511854+00	upgrade_auditor
13	0	4	max_disclosure	{"tau": 0.6, "scheme": "rr-both", "epsilon": {"age": null, "town": null, "disease": null}}	0.6	0.6	0.4118452380952381	0	t	exact	2026-11-29 18:44:52.511854+00	upgrade_auditor
14	0	5	k_anonymity	{"k": 4}	4	4	6.3	0	t	exact	2026-11-29 18:44:52.511854+00	upgrade_auditor
15	0	6	k_anonymity	{"k": 4}	4	4	4	0	t	exact	2026-11-29 18:44:52.511854+00	upgrade_auditor
15	1	6	exchange	{"movable": 56}	\N	\N	0.8333333333333334	100	\N	exact	2026-11-29 18:44:52.511854+00	upgrade_auditor
16	0	7	k_anonymity	{"k": 4}	4	4	4	0	t	exact	2026-11-29 18:44:52.511854+00	upgrade_auditor
16	1	7	exchange	{"movable": 56}	\N	\N	0.8333333333333334	100	\N	exact	2026-11-29 18:44:52.511854+00	upgrade_auditor
17	0	8	k_anonymity	{"k": 4}	4	4	5.633333333333334	0	t	exact	2026-11-29 18:44:52.511854+00	upgrade_auditor
\.


--
-- Data for Name: dataset; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.dataset (name, owner, source_schema, source_name, quasi_identifiers, sensitive, respondent, period, registered_at, bins, attributes, source_owners) FROM stdin;
monthly	upgrade_publisher	upgrade_publisher	visit	{age,sex}	{disease}	id	month	2026-11-29 18:44:51.662231+00	{}	{}	{upgrade_publisher,upgrade_publisher}
patients	upgrade_publisher	upgrade_publisher	patient	{age,sex,town}	{disease}	id	\N	2026-11-29 18:44:51.614651+00	{}	{}	{upgrade_publisher,upgrade_publisher}
anonymous	upgrade_publisher	upgrade_publisher	patient	{age,town}	{disease}	\N	\N	2026-11-29 18:44:51.655948+00	{"age": 5}	{}	{upgrade_publisher,upgrade_publisher}
\.


--
-- Data for Name: hierarchy; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.hierarchy (dataset, attribute, levels, widths, origin, rule) FROM stdin;
patients	town	{{Aln,north,*},{Brix,north,*},{Corm,south,*},{Dell,south,*}}	\N	\N	\N
patients	age	\N	{10,50}	0	\N
\.


--
-- Data for Name: policy; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.policy (name, owner, requirements, set_at) FROM stdin;
upgrade_k	upgrade_publisher	{"k_anonymity": {"k": 4}}	2026-11-29 18:44:51.670238+00
upgrade_bt	upgrade_publisher	{"bt_privacy": [{"t": 0.6, "bandwidth": 0.3}], "k_anonymity": {"k": 3}, "l_diversity": {"l": 2}}	2026-11-29 18:44:51.698992+00
upgrade_ck	upgrade_publisher	{"ck_safety": {"c": 0.9, "k": 1}}	2026-11-29 18:44:51.700882+00
upgrade_draw	upgrade_publisher	{"max_disclosure": {"tau": 0.6}}	2026-11-29 18:44:51.701993+00
\.


--
-- Data for Name: release; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release (release, dataset, owner, version, source_schema, source_name, view_schema, view_name, method, policy, requirements, options, period, records, suppressed, groups, created_at, created_by, watch, period_type, period_column, period_bin, counterfeited, grown_from, respondent_column, attributes, unique_rows) FROM stdin;
1	patients	upgrade_publisher	1	upgrade_publisher	patient	upgrade_publisher	grouped	agglomerate	upgrade_bt	{"bt_privacy": [{"t": 0.6, "bandwidth": 0.3}], "k_anonymity": {"k": 3}, "l_diversity": {"l": 2}}	{}	\N	120	0	22	2026-11-29 18:44:51.702991+00	upgrade_publisher	{f00aebac-af88-4701-a1da-7b72a8e5cdef}	\N	\N	\N	0	\N	id	{}	\N
2	patients	upgrade_publisher	2	upgrade_publisher	patient	upgrade_publisher	buckets	bucketize	upgrade_ck	{"ck_safety": {"c": 0.9, "k": 1}}	{}	\N	120	0	16	2026-11-29 18:44:51.830402+00	upgrade_publisher	{f00aebac-af88-4701-a1da-7b72a8e5cdef}	\N	\N	\N	0	\N	id	{}	\N
3	patients	upgrade_publisher	3	upgrade_publisher	patient	upgrade_publisher	two_views	anatomy	upgrade_bt	{"bt_privacy": [{"t": 0.6, "bandwidth": 0.3}], "k_anonymity": {"k": 3}, "l_diversity": {"l": 2}}	{}	\N	120	0	22	2026-11-29 18:44:51.917599+00	upgrade_publisher	{f00aebac-af88-4701-a1da-7b72a8e5cdef}	\N	\N	\N	0	\N	id	{}	\N
4	anonymous	upgrade_publisher	1	upgrade_publisher	patient	upgrade_publisher	drawn	randomize	upgrade_draw	{"max_disclosure": {"tau": 0.6}}	{"scheme": "rr-both"}	\N	120	0	0	2026-11-29 18:44:52.104852+00	upgrade_publisher	{f00aebac-af88-4701-a1da-7b72a8e5cdef}	\N	\N	\N	0	\N	\N	{}	\N
5	anonymous	upgrade_publisher	2	upgrade_publisher	patient	upgrade_publisher	binned	mondrian	upgrade_k	{"k_anonymity": {"k": 4}}	{"materialized": true}	\N	120	0	20	2026-11-29 18:44:52.153989+00	upgrade_publisher	{f00aebac-af88-4701-a1da-7b72a8e5cdef}	\N	\N	\N	0	\N	\N	{}	\N
6	monthly	upgrade_publisher	1	upgrade_publisher	visit	upgrade_publisher	january	js_reduce	upgrade_k	{"k_anonymity": {"k": 4}}	{}	1	120	0	30	2026-11-29 18:44:52.204611+00	upgrade_publisher	{63462e12-6356-4d17-b21e-4daa96260342}	integer	month	\N	0	\N	id	{}	\N
7	monthly	upgrade_publisher	2	upgrade_publisher	visit	upgrade_publisher	february	js_reduce	upgrade_k	{"k_anonymity": {"k": 4}}	{}	2	120	0	30	2026-11-29 18:44:52.259227+00	upgrade_publisher	{63462e12-6356-4d17-b21e-4daa96260342}	integer	month	\N	0	\N	id	{}	\N
8	patients	upgrade_publisher	4	upgrade_publisher	patient	upgrade_publisher	gone	agglomerate	upgrade_k	{"k_anonymity": {"k": 4}}	{}	\N	120	0	22	2026-11-29 18:44:52.313596+00	upgrade_publisher	{f00aebac-af88-4701-a1da-7b72a8e5cdef}	\N	\N	\N	0	\N	id	{}	\N
9	patients	upgrade_publisher	5	upgrade_publisher	patient	upgrade_publisher	erased	agglomerate	upgrade_k	{"k_anonymity": {"k": 4}}	{}	\N	120	0	22	2026-11-29 18:44:52.38327+00	upgrade_publisher	{f00aebac-af88-4701-a1da-7b72a8e5cdef}	\N	\N	\N	0	\N	id	{}	\N
\.


--
-- Data for Name: release_attribute; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_attribute (release, place, attribute, labels, positions, levels, type, widths, origin, level, ends, retention) FROM stdin;
1	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69}	\N	integer	{10,50}	0	\N	\N	\N
1	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N	\N
1	2	town	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corm,south,*},{Dell,south,*}}	text	\N	\N	\N	\N	\N
1	3	disease	{asthma,cold,flu,gout,ulcer}	\N	\N	text	\N	\N	\N	\N	\N
2	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69}	\N	integer	{10,50}	0	\N	\N	\N
2	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N	\N
2	2	town	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corm,south,*},{Dell,south,*}}	text	\N	\N	\N	\N	\N
2	3	disease	{asthma,cold,flu,gout,ulcer}	\N	\N	text	\N	\N	\N	\N	\N
3	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69}	\N	integer	{10,50}	0	\N	\N	\N
3	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N	\N
3	2	town	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corm,south,*},{Dell,south,*}}	text	\N	\N	\N	\N	\N
3	3	disease	{asthma,cold,flu,gout,ulcer}	\N	\N	text	\N	\N	\N	\N	\N
4	0	age	{20,25,30,35,40,45,50,55,60,65}	{20,25,30,35,40,45,50,55,60,65}	\N	integer	\N	\N	\N	{25,30,35,40,45,50,55,60,65,70}	1
4	1	town	{Aln,Brix}	\N	\N	text	\N	\N	\N	\N	1
4	2	disease	{asthma,cold,flu,gout,ulcer}	\N	\N	text	\N	\N	\N	\N	1
5	0	age	{20,25,30,35,40,45,50,55,60,65}	{20,25,30,35,40,45,50,55,60,65}	\N	integer	\N	\N	\N	{25,30,35,40,45,50,55,60,65,70}	\N
5	1	town	{Aln,Brix}	\N	\N	text	\N	\N	\N	\N	\N
5	2	disease	{asthma,cold,flu,gout,ulcer}	\N	\N	text	\N	\N	\N	\N	\N
6	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69}	\N	integer	\N	\N	\N	\N	\N
6	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N	\N
6	2	disease	{asthma,cold,flu,gout,ulcer}	\N	\N	text	\N	\N	\N	\N	\N
7	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69}	\N	integer	\N	\N	\N	\N	\N
7	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N	\N
7	2	disease	{asthma,cold,flu,gout,ulcer}	\N	\N	text	\N	\N	\N	\N	\N
8	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69}	\N	integer	{10,50}	0	\N	\N	\N
8	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N	\N
8	2	town	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corm,south,*},{Dell,south,*}}	text	\N	\N	\N	\N	\N
8	3	disease	{asthma,cold,flu,gout,ulcer}	\N	\N	text	\N	\N	\N	\N	\N
\.


--
-- Data for Name: release_base; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_base (release, base) FROM stdin;
1	upgrade_publisher.patient
2	upgrade_publisher.patient
3	upgrade_publisher.patient
4	upgrade_publisher.patient
5	upgrade_publisher.patient
6	upgrade_publisher.visit
7	upgrade_publisher.visit
8	upgrade_publisher.patient
9	upgrade_publisher.patient
\.


--
-- Data for Name: release_belief; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_belief (release, digest, knowledge, probabilities) FROM stdin;
\.


--
-- Data for Name: release_content; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_content (release, codes, group_ids, cells, sensitive_codes, counts, false_cells, false_codes, false_counts, combinations, combination_offsets, made_from) FROM stdin;
1	{0,0,0,1,1,1,2,0,0,3,1,1,4,0,0,5,1,1,6,0,0,7,1,1,8,0,0,9,1,1,10,0,0,11,1,1,12,0,0,13,1,1,14,0,0,15,1,1,16,0,0,17,1,1,18,0,0,19,1,1,20,0,0,21,1,1,22,0,0,23,1,1,24,0,0,25,1,1,26,0,0,27,1,1,28,0,0,29,1,1,30,0,0,31,1,1,32,0,0,33,1,1,34,0,0,35,1,1,36,0,0,37,1,1,38,0,0,39,1,1,40,0,0,41,1,1,42,0,0,43,1,1,44,0,0,45,1,1,46,0,0,47,1,1,48,0,0,49,1,1}	{17,8,17,8,15,8,15,0,18,0,18,7,18,7,9,7,9,11,21,11,21,12,21,12,13,2,13,2,20,2,20,4,6,4,6,14,6,14,16,10,16,10,1,3,1,3,5,19,5,19}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49}	{2,1,3,0,4,2,1,3,0,4,2,1,3,0,4,2,1,3,0,4,2,1,3,0,4,2,1,3,0,4,2,1,3,0,4,2,1,3,0,4,2,1,3,0,4,2,1,3,0,4}	{2,2,2,2,2,3,3,3,2,2,2,2,3,3,3,2,2,2,2,3,3,3,2,2,2,2,3,3,3,2,2,2,2,3,3,3,2,2,2,2,3,3,3,2,2,2,2,2,3,3}	\N	\N	\N	\N	\N	{"dataset": "3cb86cc56dcf95908e54c90a0f84a5a76f4ebc8d1f03ac5fd0ab1ceefc1626a1", "records": "6f21335d9c8b657befcdbc724abb7f3de1acf431f183792d569e9fc2bf31ae35", "knowledge": "3f7acd2d95de2d7fd16116df16b792dd2d1b06511023025d476413d05e0fba4e", "hierarchies": "55c93df80b64de012c3e2a303060acae361ef44476b4d89000a978c47b3653a1", "written_only": "true"}
2	{0,0,0,1,1,1,2,0,0,3,1,1,4,0,0,5,1,1,6,0,0,7,1,1,8,0,0,9,1,1,10,0,0,11,1,1,12,0,0,13,1,1,14,0,0,15,1,1,16,0,0,17,1,1,18,0,0,19,1,1,20,0,0,21,1,1,22,0,0,23,1,1,24,0,0,25,1,1,26,0,0,27,1,1,28,0,0,29,1,1,30,0,0,31,1,1,32,0,0,33,1,1,34,0,0,35,1,1,36,0,0,37,1,1,38,0,0,39,1,1,40,0,0,41,1,1,42,0,0,43,1,1,44,0,0,45,1,1,46,0,0,47,1,1,48,0,0,49,1,1}	{8,5,8,5,8,5,8,6,0,6,0,6,0,13,10,13,10,13,10,2,14,2,14,2,14,1,7,1,7,1,7,11,9,11,9,11,9,4,3,4,3,4,3,15,12,15,12,15,12,15}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49}	{2,1,3,0,4,2,1,3,0,4,2,1,3,0,4,2,1,3,0,4,2,1,3,0,4,2,1,3,0,4,2,1,3,0,4,2,1,3,0,4,2,1,3,0,4,2,1,3,0,4}	{2,2,2,2,2,3,3,3,2,2,2,2,3,3,3,2,2,2,2,3,3,3,2,2,2,2,3,3,3,2,2,2,2,3,3,3,2,2,2,2,3,3,3,2,2,2,2,2,3,3}	\N	\N	\N	\N	\N	{"dataset": "3cb86cc56dcf95908e54c90a0f84a5a76f4ebc8d1f03ac5fd0ab1ceefc1626a1", "records": "6f21335d9c8b657befcdbc724abb7f3de1acf431f183792d569e9fc2bf31ae35", "knowledge": "3f7acd2d95de2d7fd16116df16b792dd2d1b06511023025d476413d05e0fba4e", "hierarchies": "55c93df80b64de012c3e2a303060acae361ef44476b4d89000a978c47b3653a1", "written_only": "true"}
3	{47,1,1,49,1,1,32,0,0,34,0,0,36,0,0,7,1,1,9,1,1,11,1,1,25,1,1,27,1,1,29,1,1,39,1,1,41,1,1,46,0,0,48,0,0,17,1,1,19,1,1,35,1,1,37,1,1,42,0,0,44,0,0,8,0,0,10,0,0,12,0,0,13,1,1,15,1,1,0,0,0,2,0,0,38,0,0,40,0,0,4,0,0,6,0,0,14,0,0,16,0,0,28,0,0,30,0,0,1,1,1,3,1,1,5,1,1,43,1,1,45,1,1,18,0,0,20,0,0,22,0,0,31,1,1,33,1,1,21,1,1,23,1,1,24,0,0,26,0,0}	{0,0,1,1,1,2,2,2,3,3,3,4,4,5,5,6,6,7,7,8,8,9,9,9,10,10,11,11,12,12,13,13,14,14,15,15,16,16,16,17,17,18,18,18,19,19,20,20,21,21}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49}	{3,4,3,4,1,3,4,1,2,3,4,4,1,1,0,3,4,2,3,3,4,0,2,3,0,2,2,3,0,2,4,1,4,1,0,2,1,0,2,0,2,0,2,3,1,0,1,0,4,1}	{2,3,2,3,2,3,2,2,2,3,2,2,3,2,3,2,3,3,2,3,2,2,2,3,3,2,2,2,2,3,2,3,3,2,3,2,2,2,3,2,2,2,3,2,2,3,3,2,2,3}	\N	\N	\N	\N	\N	{"dataset": "3cb86cc56dcf95908e54c90a0f84a5a76f4ebc8d1f03ac5fd0ab1ceefc1626a1", "records": "6f21335d9c8b657befcdbc724abb7f3de1acf431f183792d569e9fc2bf31ae35", "knowledge": "3f7acd2d95de2d7fd16116df16b792dd2d1b06511023025d476413d05e0fba4e", "hierarchies": "55c93df80b64de012c3e2a303060acae361ef44476b4d89000a978c47b3653a1", "written_only": "true"}
4	{0,0,0,1,1,0,1,1,2,0,2,1,3,0,3,1,4,0,4,1,5,0,5,1,6,0,6,1,7,0,7,1,8,0,8,1,9,0,9,1}	{-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1}	{0,0,0,1,1,2,2,3,3,3,4,4,4,5,5,6,6,7,7,7,8,8,8,9,9,10,10,11,11,11,12,12,12,13,13,14,14,15,15,15,16,16,16,17,17,18,18,19,19,19}	{2,3,4,0,1,0,1,2,3,4,2,3,4,0,1,0,1,2,3,4,2,3,4,0,1,0,1,2,3,4,2,3,4,0,1,0,1,2,3,4,2,3,4,0,1,0,1,2,3,4}	{2,2,2,2,2,2,3,3,3,2,2,3,3,3,2,2,2,2,2,3,3,2,2,2,3,3,3,2,3,2,2,2,3,3,2,2,2,3,2,2,3,3,2,2,3,3,2,2,2,3}	\N	\N	\N	\N	\N	{"dataset": "384e19bb7d5d952343ba478e90f422aa7572d111ff15a81faaffc81d647b62c9", "records": "434a3a647b1c46c3409641dc91e5f4069656d33d1ec8df22b0aa134d2a13b831", "knowledge": "3f7acd2d95de2d7fd16116df16b792dd2d1b06511023025d476413d05e0fba4e", "hierarchies": "b3283bf184bb082f364b8537776bc6b15fce2ff9f9acb3fb11ae87da394bfd4b", "written_only": "true"}
5	{0,0,0,1,1,0,1,1,2,0,2,1,3,0,3,1,4,0,4,1,5,0,5,1,6,0,6,1,7,0,7,1,8,0,8,1,9,0,9,1}	{14,10,0,11,9,12,6,16,17,8,18,15,4,1,3,5,7,2,13,19}	{0,0,0,1,1,2,2,3,3,3,4,4,4,5,5,6,6,7,7,7,8,8,8,9,9,10,10,11,11,11,12,12,12,13,13,14,14,15,15,15,16,16,16,17,17,18,18,19,19,19}	{2,3,4,0,1,0,1,2,3,4,2,3,4,0,1,0,1,2,3,4,2,3,4,0,1,0,1,2,3,4,2,3,4,0,1,0,1,2,3,4,2,3,4,0,1,0,1,2,3,4}	{2,2,2,2,2,2,3,3,3,2,2,3,3,3,2,2,2,2,2,3,3,2,2,2,3,3,3,2,3,2,2,2,3,3,2,2,2,3,2,2,3,3,2,2,3,3,2,2,2,3}	\N	\N	\N	\N	\N	{"dataset": "384e19bb7d5d952343ba478e90f422aa7572d111ff15a81faaffc81d647b62c9", "records": "434a3a647b1c46c3409641dc91e5f4069656d33d1ec8df22b0aa134d2a13b831", "knowledge": "3f7acd2d95de2d7fd16116df16b792dd2d1b06511023025d476413d05e0fba4e", "hierarchies": "b3283bf184bb082f364b8537776bc6b15fce2ff9f9acb3fb11ae87da394bfd4b", "written_only": "true"}
6	{10,0,12,0,26,0,49,1,26,0,28,0,40,0,42,0,36,0,38,0,40,0,13,1,15,1,21,1,23,1,25,1,19,1,21,1,46,0,48,0,25,1,27,1,35,1,37,1,5,1,7,1,15,1,17,1,19,1,3,1,5,1,39,1,41,1,16,0,18,0,20,0,20,0,22,0,30,0,32,0,4,0,6,0,45,1,47,1,49,1,1,1,24,0,33,1,35,1,34,0,36,0,14,0,16,0,6,0,8,0,10,0,42,0,44,0,46,0,41,1,43,1,45,1,9,1,11,1,0,0,2,0,29,1,31,1}	{0,0,1,1,2,2,3,3,4,4,4,5,5,6,6,6,7,7,8,8,9,9,10,10,11,11,12,12,12,13,13,14,14,15,15,15,16,16,17,17,18,18,19,19,19,20,20,21,21,22,22,23,23,24,24,24,25,25,25,26,26,26,27,27,28,28,29,29}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67}	{2,3,1,4,1,0,2,3,1,0,2,0,2,1,0,2,4,1,1,0,2,3,2,3,2,3,2,3,4,0,2,4,1,1,0,2,2,3,2,3,4,1,2,3,4,1,4,0,2,4,1,4,1,1,0,2,3,4,1,1,0,2,4,1,2,3,4,1}	{1,3,2,2,1,3,2,2,1,2,1,3,1,1,2,1,2,2,1,3,1,3,2,2,1,3,1,2,1,2,2,2,2,1,2,1,2,2,2,2,2,2,1,2,1,2,2,3,1,3,1,3,1,1,2,1,1,2,1,1,2,1,2,2,2,2,2,2}	\N	\N	\N	\N	\N	{"dataset": "2d1dfca48da68f4aaf3c1c166b5eef64b3167c6b20a733356ae4e45c806a221a", "records": "eb56159080ff2257b4a0fff325b614bbca211da9be01ddebcf1838aefc0bad43", "knowledge": "3f7acd2d95de2d7fd16116df16b792dd2d1b06511023025d476413d05e0fba4e", "hierarchies": "b3283bf184bb082f364b8537776bc6b15fce2ff9f9acb3fb11ae87da394bfd4b", "written_only": "true"}
7	{10,0,12,0,26,0,49,1,26,0,28,0,40,0,42,0,36,0,38,0,40,0,13,1,15,1,21,1,23,1,25,1,19,1,21,1,46,0,48,0,25,1,27,1,35,1,37,1,5,1,7,1,15,1,17,1,19,1,3,1,5,1,39,1,41,1,16,0,18,0,20,0,20,0,22,0,30,0,32,0,4,0,6,0,45,1,47,1,49,1,1,1,24,0,33,1,35,1,34,0,36,0,14,0,16,0,6,0,8,0,10,0,42,0,44,0,46,0,41,1,43,1,45,1,9,1,11,1,0,0,2,0,29,1,31,1}	{0,0,1,1,2,2,3,3,4,4,4,5,5,6,6,6,7,7,8,8,9,9,10,10,11,11,12,12,12,13,13,14,14,15,15,15,16,16,17,17,18,18,19,19,19,20,20,21,21,22,22,23,23,24,24,24,25,25,25,26,26,26,27,27,28,28,29,29}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67}	{4,1,2,0,2,3,4,1,2,3,4,3,4,2,3,4,0,2,2,3,4,1,4,1,4,1,4,1,0,3,4,0,2,2,3,4,4,1,4,1,0,2,4,1,0,2,0,3,4,0,2,0,2,2,3,4,1,0,2,2,3,4,0,2,4,1,0,2}	{1,3,2,2,1,3,2,2,1,2,1,3,1,1,2,1,2,2,1,3,1,3,2,2,1,3,1,2,1,2,2,2,2,1,2,1,2,2,2,2,2,2,1,2,1,2,2,3,1,3,1,3,1,1,2,1,1,2,1,1,2,1,2,2,2,2,2,2}	\N	\N	\N	\N	\N	{"dataset": "2d1dfca48da68f4aaf3c1c166b5eef64b3167c6b20a733356ae4e45c806a221a", "records": "20b696a4a787ba8f52bf83629e7c0e2f1081801bd0bbe064ec76455f0e48ef98", "knowledge": "3f7acd2d95de2d7fd16116df16b792dd2d1b06511023025d476413d05e0fba4e", "hierarchies": "b3283bf184bb082f364b8537776bc6b15fce2ff9f9acb3fb11ae87da394bfd4b", "written_only": "true"}
8	{28,0,0,30,0,0,32,0,0,34,0,0,36,0,0,24,0,0,26,0,0,25,1,1,27,1,1,29,1,1,21,1,1,23,1,1,46,0,0,48,0,0,7,1,1,9,1,1,11,1,1,42,0,0,44,0,0,17,1,1,19,1,1,47,1,1,49,1,1,1,1,1,3,1,1,5,1,1,8,0,0,10,0,0,12,0,0,0,0,0,2,0,0,38,0,0,40,0,0,39,1,1,41,1,1,13,1,1,15,1,1,14,0,0,16,0,0,43,1,1,45,1,1,35,1,1,37,1,1,31,1,1,33,1,1,4,0,0,6,0,0,18,0,0,20,0,0,22,0,0}	{0,0,1,1,1,2,2,3,3,3,4,4,5,5,6,6,6,7,7,8,8,9,9,10,10,10,11,11,11,12,12,13,13,14,14,15,15,16,16,17,17,18,18,19,19,20,20,21,21,21}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49}	{0,2,3,4,1,4,1,2,3,4,1,0,1,0,3,4,1,3,4,3,4,3,4,1,0,2,0,2,3,2,3,0,2,4,1,0,2,4,1,0,2,2,3,1,0,4,1,0,2,3}	{3,2,2,3,2,2,3,2,3,2,3,2,2,3,3,2,2,3,2,2,3,2,3,2,2,3,2,2,3,2,2,2,3,2,3,3,2,3,2,2,2,3,2,2,3,2,3,2,3,2}	\N	\N	\N	\N	\N	{"dataset": "3cb86cc56dcf95908e54c90a0f84a5a76f4ebc8d1f03ac5fd0ab1ceefc1626a1", "records": "6f21335d9c8b657befcdbc724abb7f3de1acf431f183792d569e9fc2bf31ae35", "knowledge": "3f7acd2d95de2d7fd16116df16b792dd2d1b06511023025d476413d05e0fba4e", "hierarchies": "55c93df80b64de012c3e2a303060acae361ef44476b4d89000a978c47b3653a1", "written_only": "true"}
\.


--
-- Data for Name: release_draw; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_draw (release, codes, counts) FROM stdin;
4	{0,0,2,0,0,3,0,0,4,0,1,0,0,1,1,1,0,0,1,0,1,1,1,2,1,1,3,1,1,4,2,0,2,2,0,3,2,0,4,2,1,0,2,1,1,3,0,0,3,0,1,3,1,2,3,1,3,3,1,4,4,0,2,4,0,3,4,0,4,4,1,0,4,1,1,5,0,0,5,0,1,5,1,2,5,1,3,5,1,4,6,0,2,6,0,3,6,0,4,6,1,0,6,1,1,7,0,0,7,0,1,7,1,2,7,1,3,7,1,4,8,0,2,8,0,3,8,0,4,8,1,0,8,1,1,9,0,0,9,0,1,9,1,2,9,1,3,9,1,4}	{2,2,2,2,2,2,3,3,3,2,2,3,3,3,2,2,2,2,2,3,3,2,2,2,3,3,3,2,3,2,2,2,3,3,2,2,2,3,2,2,3,3,2,2,3,3,2,2,2,3}
\.


--
-- Data for Name: release_event; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_event (event, release, kind, reason, at, by, readers) FROM stdin;
1	8	withdrawn	enough	2026-11-29 18:44:52.451987+00	upgrade_publisher	{upgrade_publisher}
2	9	withdrawn	enough	2026-11-29 18:44:52.47807+00	upgrade_publisher	{upgrade_publisher}
3	9	purged	enough	2026-11-29 18:44:52.499934+00	upgrade_publisher	\N
\.


--
-- Data for Name: release_notice; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_notice (release, at, severity, message, detail, hint, place) FROM stdin;
1	2026-11-29 18:44:51.702991+00	NOTICE	release 1 is published: 120 of 120 records in 22 groups	Detail lost: 1.84 % (gcp); bkpriv.utility(1) says how much by k-anonymity alone.\nk_anonymity (k = 3): worst 4, bound 3.\nl_diversity (l = 2, variant = distinct): worst 2, bound 2.\nbt_privacy (bandwidth = 0.3, t = 0.6): worst 0.433397, bound 0.6.\nA reader (bandwidth = 0.3) becomes sure of 0 of 120 records: believed at most 50 % before, above 90 % after.	\N	1
2	2026-11-29 18:44:51.830402+00	WARNING	records of upgrade_publisher.patient have been released before: 1 (published)	Each release is certified by itself. A reader of several, or of one that was withdrawn, can compare their groups, and may so learn the value of somebody who is in one only.	Give them to different readers. A policy may refuse another release ({"overlap": "refuse"}) or, where its method can, certify it together with these ({"overlap": "certify"}).	1
2	2026-11-29 18:44:51.830402+00	NOTICE	release 2 is published: 120 of 120 records in 16 groups	Detail lost: 0 % (gcp).\nck_safety (c = 0.9, k = 1): worst 0.6, bound 0.9.\nA reader whom the policy does not name (bandwidth = 0.3) becomes sure of 0 of 120 records: believed at most 50 % before, above 90 % after.	\N	2
3	2026-11-29 18:44:51.917599+00	NOTICE	release 3 is certified together with releases 1, 2: 22 groups are shown as they were, 12 were united with others, and 0 records are left out	It exposes nobody to a reader of all of them.	\N	1
3	2026-11-29 18:44:51.917599+00	NOTICE	24 people are exposed by what was published before release 3	What releases 1, 2 told cannot be taken back. Together with release 3 it tells no more of them.	bkpriv.explain_together names them.	2
3	2026-11-29 18:44:51.917599+00	NOTICE	release 3 is published: 120 of 120 records in 22 groups	Detail lost: 0 % (gcp).\nk_anonymity (k = 3): worst 4, bound 3.\nl_diversity (l = 2, variant = distinct): worst 2, bound 2.\nbt_privacy (bandwidth = 0.3, t = 0.6): worst 0.415713, bound 0.6.\nk_anonymity (k = 3, together = [1, 2, 3]): worst 2, bound 3 (broken for 12).\nl_diversity (l = 2, variant = distinct, together = [1, 2, 3]): worst 1, bound 2 (broken for 24).\nbt_privacy (bandwidth = 0.3, t = 0.6, together = [1, 2, 3]): worst 0.615614, bound 0.6 (broken for 11).\nA reader (bandwidth = 0.3) becomes sure of 0 of 120 records: believed at most 50 % before, above 90 % after.\nA reader (bandwidth = 0.3, together = [1, 2, 3]) becomes sure of 24 persons: believed at most 50 % before, above 90 % after.	\N	3
4	2026-11-29 18:44:52.104852+00	NOTICE	release 4 shows every record as it is	The table itself keeps tau = 0.6, so nothing was distorted.	Bound it by a smaller tau; bkpriv.audit says what the largest risk is.	1
4	2026-11-29 18:44:52.104852+00	WARNING	records of upgrade_publisher.patient have been released before: 1 (published), 2 (published), 3 (published)	Each release is certified by itself. A reader of several, or of one that was withdrawn, can compare their records, and learns more of all of them. What they disclose together is not measured.	Withdraw the earlier release, or publish by a method that forms groups. A policy may refuse another release ({"overlap": "refuse"}).	2
4	2026-11-29 18:44:52.104852+00	NOTICE	release 4 is published: 120 of 120 records, drawn at random	max_disclosure (tau = 0.6, scheme = rr-both, epsilon = {"age": null, "town": null, "disease": null}): worst 0.6, bound 0.6.\nOf whom a reader becomes sure is not counted of records that are drawn.	\N	3
5	2026-11-29 18:44:52.153989+00	WARNING	records of upgrade_publisher.patient have been released before: 1 (published), 2 (published), 3 (published), 4 (published)	Each release is certified by itself. A reader of several, or of one that was withdrawn, can compare their groups, and may so learn the value of somebody who is in one only.	Give them to different readers. A policy may refuse another release ({"overlap": "refuse"}) or, by default, warn of it.	1
5	2026-11-29 18:44:52.153989+00	NOTICE	release 5 is published: 120 of 120 records in 20 groups	Detail lost: 0 % (gcp); bkpriv.utility(5) says how much by k-anonymity alone.\nk_anonymity (k = 4): worst 4, bound 4.\nA reader whom the policy does not name (bandwidth = 0.3) becomes sure of 0 of 120 records: believed at most 50 % before, above 90 % after.	\N	2
6	2026-11-29 18:44:52.204611+00	NOTICE	release 6 is published: 120 of 120 records in 30 groups	Detail lost: 7.35 % (gcp); bkpriv.utility(6) says how much by k-anonymity alone.\nk_anonymity (k = 4): worst 4, bound 4.\nA reader whom the policy does not name (bandwidth = 0.3) becomes sure of 0 of 120 records: believed at most 50 % before, above 90 % after.	\N	1
7	2026-11-29 18:44:52.259227+00	NOTICE	release 7 is published: 120 of 120 records in 30 groups	Detail lost: 7.35 % (gcp); bkpriv.utility(7) says how much by k-anonymity alone.\nk_anonymity (k = 4): worst 4, bound 4.\nA reader whom the policy does not name (bandwidth = 0.3) becomes sure of 0 of 120 records: believed at most 50 % before, above 90 % after.	\N	1
8	2026-11-29 18:44:52.313596+00	NOTICE	release 8 is certified together with releases 1, 2, 3: 22 groups are shown as they were, 12 were united with others, and 0 records are left out	It exposes nobody to a reader of all of them.	\N	1
8	2026-11-29 18:44:52.313596+00	NOTICE	24 people are exposed by what was published before release 8	What releases 1, 2, 3 told cannot be taken back. Together with release 8 it tells no more of them.	bkpriv.explain_together names them.	2
8	2026-11-29 18:44:52.313596+00	WARNING	releases of records of upgrade_publisher.patient are not judged together with this one: 4 (published), 5 (published)	Release 4 is of another dataset; release 5 is of another dataset. What they tell together with this one is not measured.	bkpriv.audit_together measures releases of several datasets that name the same people by one column, and tell the same sensitive columns of them. Give them to different readers. A policy may refuse another release ({"overlap": "refuse"}).	3
8	2026-11-29 18:44:52.313596+00	NOTICE	release 8 is published: 120 of 120 records in 22 groups	Detail lost: 1.84 % (gcp); bkpriv.utility(8) says how much by k-anonymity alone.\nk_anonymity (k = 4): worst 4, bound 4.\nk_anonymity (k = 4, together = [1, 2, 3, 8]): worst 2, bound 4 (broken for 24).\nA reader whom the policy does not name (bandwidth = 0.3) becomes sure of 0 of 120 records: believed at most 50 % before, above 90 % after.	\N	4
\.


--
-- Data for Name: release_respondent; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_respondent (release, respondents, group_ids, parts, sensitive_codes, shown_codes) FROM stdin;
1	{1,10,100,101,102,103,104,105,106,107,108,109,11,110,111,112,113,114,115,116,117,118,119,12,120,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,28,29,3,30,31,32,33,34,35,36,37,38,39,4,40,41,42,43,44,45,46,47,48,49,5,50,51,52,53,54,55,56,57,58,59,6,60,61,62,63,64,65,66,67,68,69,7,70,71,72,73,74,75,76,77,78,79,8,80,81,82,83,84,85,86,87,88,89,9,90,91,92,93,94,95,96,97,98,99}	{0,21,17,0,9,12,20,14,1,19,15,7,2,21,2,6,10,5,8,18,11,13,4,6,16,10,5,8,18,11,13,4,9,16,19,15,7,21,2,6,10,5,8,12,18,11,13,4,16,3,17,0,9,12,20,20,14,1,8,18,7,21,2,6,3,14,17,0,9,12,20,14,1,19,15,7,1,21,2,6,10,5,8,18,11,13,4,19,16,19,15,7,21,2,6,10,5,8,15,18,11,13,4,16,3,17,0,9,12,7,20,14,1,8,18,7,21,2,6,3}	{7,20,0,7,14,21,28,35,42,49,6,13,27,20,27,34,41,48,5,12,19,26,33,34,40,41,48,5,12,19,26,33,14,40,47,4,11,18,25,32,39,46,3,21,10,17,24,31,38,45,2,9,16,23,28,30,37,44,1,8,15,22,29,36,43,35,0,7,14,21,28,35,42,49,6,13,42,20,27,34,41,48,5,12,19,26,33,49,40,47,4,11,18,25,32,39,46,3,6,10,17,24,31,38,45,2,9,16,23,13,30,37,44,1,8,15,22,29,36,43}	{3,2,2,3,4,1,0,2,3,4,1,0,3,2,3,4,1,0,2,3,4,1,0,4,2,1,0,2,3,4,1,0,4,2,3,4,1,0,2,3,4,1,0,1,2,3,4,1,0,2,3,4,1,0,0,2,3,4,1,0,2,3,4,1,0,2,2,3,4,1,0,2,3,4,1,0,3,2,3,4,1,0,2,3,4,1,0,4,2,3,4,1,0,2,3,4,1,0,1,2,3,4,1,0,2,3,4,1,0,0,2,3,4,1,0,2,3,4,1,0}	\N
2	{1,10,100,101,102,103,104,105,106,107,108,109,11,110,111,112,113,114,115,116,117,118,119,12,120,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,28,29,3,30,31,32,33,34,35,36,37,38,39,4,40,41,42,43,44,45,46,47,48,49,5,50,51,52,53,54,55,56,57,58,59,6,60,61,62,63,64,65,66,67,68,69,7,70,71,72,73,74,75,76,77,78,79,8,80,81,82,83,84,85,86,87,88,89,9,90,91,92,93,94,95,96,97,98,99}	{6,14,8,6,10,2,7,11,3,15,8,13,1,14,1,9,4,12,5,0,2,7,11,9,3,4,12,5,0,2,7,11,10,3,15,8,6,10,1,9,4,12,5,2,0,13,14,11,3,15,8,6,10,2,7,7,4,12,5,0,13,14,1,9,15,11,8,6,10,2,7,11,3,15,8,13,3,14,1,9,4,12,5,0,2,7,11,15,3,15,8,6,10,1,9,4,12,5,8,0,13,14,11,3,15,8,6,10,2,13,7,4,12,5,0,13,14,1,9,15}	{7,20,0,7,14,21,28,35,42,49,6,13,27,20,27,34,41,48,5,12,19,26,33,34,40,41,48,5,12,19,26,33,14,40,47,4,11,18,25,32,39,46,3,21,10,17,24,31,38,45,2,9,16,23,28,30,37,44,1,8,15,22,29,36,43,35,0,7,14,21,28,35,42,49,6,13,42,20,27,34,41,48,5,12,19,26,33,49,40,47,4,11,18,25,32,39,46,3,6,10,17,24,31,38,45,2,9,16,23,13,30,37,44,1,8,15,22,29,36,43}	{3,2,2,3,4,1,0,2,3,4,1,0,3,2,3,4,1,0,2,3,4,1,0,4,2,1,0,2,3,4,1,0,4,2,3,4,1,0,2,3,4,1,0,1,2,3,4,1,0,2,3,4,1,0,0,2,3,4,1,0,2,3,4,1,0,2,2,3,4,1,0,2,3,4,1,0,3,2,3,4,1,0,2,3,4,1,0,4,2,3,4,1,0,2,3,4,1,0,1,2,3,4,1,0,2,3,4,1,0,0,2,3,4,1,0,2,3,4,1,0}	\N
3	{1,10,100,101,102,103,104,105,106,107,108,109,11,110,111,112,113,114,115,116,117,118,119,12,120,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,28,29,3,30,31,32,33,34,35,36,37,38,39,4,40,41,42,43,44,45,46,47,48,49,5,50,51,52,53,54,55,56,57,58,59,6,60,61,62,63,64,65,66,67,68,69,7,70,71,72,73,74,75,76,77,78,79,8,80,81,82,83,84,85,86,87,88,89,9,90,91,92,93,94,95,96,97,98,99}	{2,18,11,2,14,20,15,7,8,0,13,10,3,18,3,1,4,5,16,9,6,21,19,1,12,4,5,16,9,6,21,19,14,12,0,13,2,18,3,1,4,5,16,20,9,6,21,19,12,17,11,2,14,20,15,15,7,8,16,9,10,18,3,1,17,7,11,2,14,20,15,7,8,0,13,10,8,18,3,1,4,5,16,9,6,21,19,0,12,0,13,2,18,3,1,4,5,16,13,9,6,21,19,12,17,11,2,14,20,10,15,7,8,16,9,10,18,3,1,17}	{5,42,26,5,32,46,34,17,19,1,31,24,9,42,9,3,12,14,38,23,16,49,45,3,29,12,14,38,23,16,49,45,32,29,0,30,7,41,8,2,11,13,37,46,22,15,48,44,28,40,27,6,33,47,34,35,18,20,36,21,25,43,10,4,39,17,26,5,32,46,34,17,19,1,31,24,19,42,9,3,12,14,38,23,16,49,45,1,29,0,30,7,41,8,2,11,13,37,31,22,15,48,44,28,40,27,6,33,47,24,35,18,20,36,21,25,43,10,4,39}	{3,2,2,3,4,1,0,2,3,4,1,0,3,2,3,4,1,0,2,3,4,1,0,4,2,1,0,2,3,4,1,0,4,2,3,4,1,0,2,3,4,1,0,1,2,3,4,1,0,2,3,4,1,0,0,2,3,4,1,0,2,3,4,1,0,2,2,3,4,1,0,2,3,4,1,0,3,2,3,4,1,0,2,3,4,1,0,4,2,3,4,1,0,2,3,4,1,0,1,2,3,4,1,0,2,3,4,1,0,0,2,3,4,1,0,2,3,4,1,0}	\N
6	{1,10,100,101,102,103,104,105,106,107,108,109,11,110,111,112,113,114,115,116,117,118,119,12,120,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,28,29,3,30,31,32,33,34,35,36,37,38,39,4,40,41,42,43,44,45,46,47,48,49,5,50,51,52,53,54,55,56,57,58,59,6,60,61,62,63,64,65,66,67,68,69,7,70,71,72,73,74,75,76,77,78,79,8,80,81,82,83,84,85,86,87,88,89,9,90,91,92,93,94,95,96,97,98,99}	{11,16,28,11,23,7,2,21,3,1,18,5,9,15,9,22,14,8,13,0,12,1,21,22,4,26,8,13,0,7,1,21,23,3,19,18,27,15,6,17,14,8,13,7,24,12,20,29,4,19,28,27,23,6,2,17,10,25,20,24,5,16,29,4,26,10,28,11,23,6,2,10,25,1,24,5,3,16,9,22,14,8,11,0,7,2,21,19,3,19,18,27,15,9,17,14,25,13,18,0,12,20,29,4,26,28,27,15,6,5,17,10,25,20,24,12,16,29,22,26}	{25,36,64,25,51,17,5,48,7,3,41,11,21,35,21,49,32,19,30,1,28,2,47,49,10,59,19,30,1,16,2,47,51,6,43,40,63,34,15,39,31,18,29,17,55,27,46,67,9,42,65,62,52,14,5,38,23,57,45,54,12,37,66,8,60,22,64,25,51,13,5,22,56,3,53,11,7,36,21,49,32,19,24,1,16,4,47,44,6,43,40,63,34,20,39,31,58,29,41,0,27,46,67,9,61,65,62,33,14,11,38,23,57,45,54,26,37,66,50,60}	{3,2,2,3,4,1,0,2,3,4,1,0,3,2,3,4,1,0,2,3,4,1,0,4,2,1,0,2,3,4,1,0,4,2,3,4,1,0,2,3,4,1,0,1,2,3,4,1,0,2,3,4,1,0,0,2,3,4,1,0,2,3,4,1,0,2,2,3,4,1,0,2,3,4,1,0,3,2,3,4,1,0,2,3,4,1,0,4,2,3,4,1,0,2,3,4,1,0,1,2,3,4,1,0,2,3,4,1,0,0,2,3,4,1,0,2,3,4,1,0}	\N
7	{1,10,100,101,102,103,104,105,106,107,108,109,11,110,111,112,113,114,115,116,117,118,119,12,120,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,28,29,3,30,31,32,33,34,35,36,37,38,39,4,40,41,42,43,44,45,46,47,48,49,5,50,51,52,53,54,55,56,57,58,59,6,60,61,62,63,64,65,66,67,68,69,7,70,71,72,73,74,75,76,77,78,79,8,80,81,82,83,84,85,86,87,88,89,9,90,91,92,93,94,95,96,97,98,99}	{11,16,28,11,23,7,2,21,3,1,18,5,9,15,9,22,14,8,13,0,12,1,21,22,4,26,8,13,0,7,1,21,23,3,19,18,27,15,6,17,14,8,13,7,24,12,20,29,4,19,28,27,23,6,2,17,10,25,20,24,5,16,29,4,26,10,28,11,23,6,2,10,25,1,24,5,3,16,9,22,14,8,11,0,7,2,21,19,3,19,18,27,15,9,17,14,25,13,18,0,12,20,29,4,26,28,27,15,6,5,17,10,25,20,24,12,16,29,22,26}	{25,36,64,25,51,17,5,48,7,3,41,11,21,35,21,49,32,19,30,1,28,2,47,49,10,59,19,30,1,16,2,47,51,6,43,40,63,34,15,39,31,18,29,17,55,27,46,67,9,42,65,62,52,14,5,38,23,57,45,54,12,37,66,8,60,22,64,25,51,13,5,22,56,3,53,11,7,36,21,49,32,19,24,1,16,4,47,44,6,43,40,63,34,20,39,31,58,29,41,0,27,46,67,9,61,65,62,33,14,11,38,23,57,45,54,26,37,66,50,60}	{1,4,4,1,0,2,3,4,1,0,2,3,1,4,1,0,2,3,4,1,0,2,3,0,4,2,3,4,1,0,2,3,0,4,1,0,2,3,4,1,0,2,3,2,4,1,0,2,3,4,1,0,2,3,3,4,1,0,2,3,4,1,0,2,3,4,4,1,0,2,3,4,1,0,2,3,1,4,1,0,2,3,4,1,0,2,3,0,4,1,0,2,3,4,1,0,2,3,2,4,1,0,2,3,4,1,0,2,3,3,4,1,0,2,3,4,1,0,2,3}	\N
8	{1,10,100,101,102,103,104,105,106,107,108,109,11,110,111,112,113,114,115,116,117,118,119,12,120,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,28,29,3,30,31,32,33,34,35,36,37,38,39,4,40,41,42,43,44,45,46,47,48,49,5,50,51,52,53,54,55,56,57,58,59,6,60,61,62,63,64,65,66,67,68,69,7,70,71,72,73,74,75,76,77,78,79,8,80,81,82,83,84,85,86,87,88,89,9,90,91,92,93,94,95,96,97,98,99}	{6,21,12,6,16,4,0,18,7,9,20,15,3,21,3,1,14,5,10,11,8,2,19,1,13,14,5,10,11,8,2,19,16,13,9,20,6,21,3,1,14,5,10,4,11,8,2,19,13,17,12,6,16,4,0,0,18,7,10,11,15,21,3,1,17,18,12,6,16,4,0,18,7,9,20,15,7,21,3,1,14,5,10,11,8,2,19,9,13,9,20,6,21,3,1,14,5,10,20,11,8,2,19,13,17,12,6,16,4,15,0,18,7,10,11,15,21,3,1,17}	{14,48,29,14,37,10,0,41,17,22,46,35,8,48,8,3,34,13,25,28,20,6,44,3,32,34,13,25,28,20,6,44,37,32,21,45,16,47,7,2,33,12,24,10,27,19,5,43,31,40,30,15,38,11,0,1,42,18,23,26,36,49,9,4,39,41,29,14,37,10,0,41,17,22,46,35,17,48,8,3,34,13,25,28,20,6,44,22,32,21,45,16,47,7,2,33,12,24,46,27,19,5,43,31,40,30,15,38,11,35,1,42,18,23,26,36,49,9,4,39}	{3,2,2,3,4,1,0,2,3,4,1,0,3,2,3,4,1,0,2,3,4,1,0,4,2,1,0,2,3,4,1,0,4,2,3,4,1,0,2,3,4,1,0,1,2,3,4,1,0,2,3,4,1,0,0,2,3,4,1,0,2,3,4,1,0,2,2,3,4,1,0,2,3,4,1,0,3,2,3,4,1,0,2,3,4,1,0,4,2,3,4,1,0,2,3,4,1,0,1,2,3,4,1,0,2,3,4,1,0,0,2,3,4,1,0,2,3,4,1,0}	\N
\.


--
-- Data for Name: sequential_knowledge; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.sequential_knowledge (dataset, name, kind, memory, labels, parents, oldest, offsets, following, probabilities, support, set_at) FROM stdin;
\.


--
-- Data for Name: watched; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.watched (token, at, named) FROM stdin;
63462e12-6356-4d17-b21e-4daa96260342	2026-11-29 18:44:52.259227+00	upgrade_publisher.visit
f00aebac-af88-4701-a1da-7b72a8e5cdef	2026-11-29 18:44:52.38327+00	upgrade_publisher.patient
\.


--
-- Data for Name: release_1; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_1 (age, sex, town, disease) FROM stdin;
[45,50)	m	Brix	gout
[44,47)	f	Aln	ulcer
[44,47)	f	Aln	cold
[21,26)	m	Brix	asthma
[52,57)	f	Aln	gout
[58,61)	f	Aln	flu
[62,65)	f	Aln	ulcer
[62,65)	f	Aln	gout
[59,62)	m	Brix	ulcer
[58,61)	f	Aln	asthma
[28,33)	f	Aln	asthma
[37,40)	m	Brix	gout
[28,33)	f	Aln	gout
[48,51)	f	Aln	asthma
[48,51)	f	Aln	asthma
[55,58)	m	Brix	flu
[28,33)	f	Aln	flu
[28,33)	f	Aln	gout
[31,36)	m	Brix	flu
[48,51)	f	Aln	flu
[51,54)	m	Brix	asthma
[58,61)	f	Aln	asthma
[28,33)	f	Aln	asthma
[27,30)	m	Brix	gout
[20,23)	f	Aln	flu
[59,62)	m	Brix	cold
[31,36)	m	Brix	cold
[20,23)	f	Aln	flu
[44,47)	f	Aln	ulcer
[59,62)	m	Brix	cold
[67,70)	m	Brix	ulcer
[62,65)	f	Aln	gout
[45,50)	m	Brix	gout
[67,70)	m	Brix	gout
[27,30)	m	Brix	ulcer
[52,57)	f	Aln	cold
[67,70)	m	Brix	gout
[31,36)	m	Brix	cold
[44,47)	f	Aln	cold
[24,27)	f	Aln	cold
[45,50)	m	Brix	gout
[34,37)	f	Aln	cold
[28,33)	f	Aln	flu
[24,27)	f	Aln	cold
[34,37)	f	Aln	ulcer
[41,44)	m	Brix	cold
[66,69)	f	Aln	asthma
[51,54)	m	Brix	asthma
[21,26)	m	Brix	flu
[52,57)	f	Aln	ulcer
[66,69)	f	Aln	cold
[45,50)	m	Brix	ulcer
[58,61)	f	Aln	flu
[38,43)	f	Aln	gout
[31,36)	m	Brix	asthma
[63,66)	m	Brix	asthma
[45,50)	m	Brix	flu
[31,36)	m	Brix	flu
[37,40)	m	Brix	ulcer
[55,58)	m	Brix	gout
[37,40)	m	Brix	ulcer
[67,70)	m	Brix	ulcer
[38,43)	f	Aln	flu
[44,47)	f	Aln	cold
[52,57)	f	Aln	gout
[24,27)	f	Aln	ulcer
[20,23)	f	Aln	gout
[34,37)	f	Aln	ulcer
[45,50)	m	Brix	ulcer
[63,66)	m	Brix	flu
[37,40)	m	Brix	ulcer
[34,37)	f	Aln	ulcer
[31,36)	m	Brix	asthma
[51,54)	m	Brix	cold
[41,44)	m	Brix	asthma
[59,62)	m	Brix	ulcer
[41,44)	m	Brix	cold
[41,44)	m	Brix	cold
[37,40)	m	Brix	gout
[52,57)	f	Aln	ulcer
[48,51)	f	Aln	asthma
[58,61)	f	Aln	flu
[24,27)	f	Aln	cold
[38,43)	f	Aln	asthma
[52,57)	f	Aln	ulcer
[38,43)	f	Aln	flu
[34,37)	f	Aln	cold
[27,30)	m	Brix	ulcer
[27,30)	m	Brix	gout
[55,58)	m	Brix	flu
[66,69)	f	Aln	asthma
[27,30)	m	Brix	gout
[62,65)	f	Aln	ulcer
[55,58)	m	Brix	gout
[51,54)	m	Brix	cold
[38,43)	f	Aln	gout
[66,69)	f	Aln	asthma
[20,23)	f	Aln	gout
[62,65)	f	Aln	gout
[24,27)	f	Aln	ulcer
[21,26)	m	Brix	cold
[38,43)	f	Aln	flu
[67,70)	m	Brix	ulcer
[63,66)	m	Brix	asthma
[21,26)	m	Brix	cold
[66,69)	f	Aln	cold
[51,54)	m	Brix	asthma
[21,26)	m	Brix	flu
[52,57)	f	Aln	cold
[21,26)	m	Brix	flu
[63,66)	m	Brix	flu
[41,44)	m	Brix	asthma
[55,58)	m	Brix	flu
[48,51)	f	Aln	flu
[21,26)	m	Brix	asthma
[59,62)	m	Brix	cold
[45,50)	m	Brix	flu
[28,33)	f	Aln	gout
[31,36)	m	Brix	asthma
[38,43)	f	Aln	asthma
\.


--
-- Data for Name: release_2; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_2 (age, sex, town, group_id, disease) FROM stdin;
31	m	Brix	6	gout
55	m	Brix	11	cold
48	f	Aln	7	cold
33	m	Brix	13	gout
51	m	Brix	11	flu
21	m	Brix	5	cold
62	f	Aln	3	gout
59	m	Brix	4	ulcer
43	m	Brix	2	cold
50	f	Aln	7	flu
68	f	Aln	12	asthma
49	m	Brix	1	ulcer
34	f	Aln	10	ulcer
46	f	Aln	7	asthma
54	f	Aln	9	gout
62	f	Aln	3	asthma
29	m	Brix	6	gout
46	f	Aln	7	asthma
22	f	Aln	8	flu
27	m	Brix	6	ulcer
65	m	Brix	15	ulcer
69	m	Brix	15	gout
35	m	Brix	13	flu
68	f	Aln	12	asthma
37	m	Brix	13	gout
28	f	Aln	0	flu
34	f	Aln	10	asthma
24	f	Aln	8	cold
61	m	Brix	4	gout
39	m	Brix	2	cold
54	f	Aln	9	ulcer
47	m	Brix	1	ulcer
23	m	Brix	5	flu
64	f	Aln	12	cold
48	f	Aln	7	flu
68	f	Aln	12	ulcer
58	f	Aln	3	asthma
42	f	Aln	14	gout
20	f	Aln	8	flu
54	f	Aln	9	ulcer
60	f	Aln	3	flu
40	f	Aln	14	ulcer
66	f	Aln	12	asthma
48	f	Aln	7	cold
59	m	Brix	4	ulcer
63	m	Brix	15	flu
61	m	Brix	4	cold
26	f	Aln	8	gout
39	m	Brix	2	asthma
41	m	Brix	2	ulcer
30	f	Aln	0	gout
42	f	Aln	14	flu
28	f	Aln	0	flu
52	f	Aln	9	cold
27	m	Brix	6	ulcer
60	f	Aln	3	gout
36	f	Aln	10	ulcer
40	f	Aln	14	flu
24	f	Aln	8	gout
56	f	Aln	9	gout
57	m	Brix	4	cold
41	m	Brix	2	asthma
69	m	Brix	15	gout
47	m	Brix	1	gout
56	f	Aln	9	cold
57	m	Brix	4	gout
45	m	Brix	1	gout
38	f	Aln	10	cold
44	f	Aln	14	gout
46	f	Aln	7	cold
25	m	Brix	5	asthma
63	m	Brix	15	ulcer
53	m	Brix	11	asthma
55	m	Brix	11	cold
40	f	Aln	14	ulcer
52	f	Aln	9	ulcer
69	m	Brix	15	asthma
32	f	Aln	0	asthma
36	f	Aln	10	asthma
23	m	Brix	5	asthma
62	f	Aln	3	flu
47	m	Brix	1	flu
25	m	Brix	5	flu
27	m	Brix	6	cold
55	m	Brix	11	flu
31	m	Brix	6	cold
67	m	Brix	15	ulcer
41	m	Brix	2	ulcer
53	m	Brix	11	asthma
38	f	Aln	10	ulcer
53	m	Brix	11	asthma
30	f	Aln	0	gout
51	m	Brix	11	flu
33	m	Brix	13	asthma
66	f	Aln	12	cold
29	m	Brix	6	gout
26	f	Aln	8	cold
58	f	Aln	3	gout
35	m	Brix	13	asthma
39	m	Brix	2	cold
65	m	Brix	15	asthma
43	m	Brix	2	ulcer
37	m	Brix	13	asthma
61	m	Brix	4	cold
34	f	Aln	10	cold
25	m	Brix	5	flu
67	m	Brix	15	flu
26	f	Aln	8	ulcer
21	m	Brix	5	cold
32	f	Aln	0	asthma
50	f	Aln	7	asthma
49	m	Brix	1	flu
33	m	Brix	13	flu
60	f	Aln	3	flu
44	f	Aln	14	flu
22	f	Aln	8	ulcer
45	m	Brix	1	gout
20	f	Aln	8	cold
64	f	Aln	12	ulcer
32	f	Aln	0	gout
\.


--
-- Data for Name: release_2_sensitive; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_2_sensitive (group_id, disease, count) FROM stdin;
11	flu	3
15	asthma	2
11	asthma	3
12	cold	2
7	flu	2
8	cold	3
15	gout	2
1	gout	3
5	asthma	2
9	gout	2
14	ulcer	2
10	ulcer	3
14	flu	3
0	flu	2
8	flu	2
3	flu	3
15	flu	2
2	asthma	2
6	cold	2
7	cold	3
1	ulcer	2
5	flu	3
2	cold	3
11	cold	2
8	gout	2
0	gout	3
12	asthma	3
15	ulcer	3
5	cold	2
7	asthma	3
6	ulcer	2
13	asthma	3
12	ulcer	2
10	cold	2
3	asthma	2
13	gout	2
9	cold	2
13	flu	2
1	flu	2
4	ulcer	2
2	ulcer	3
9	ulcer	3
8	ulcer	2
0	asthma	2
14	gout	2
6	gout	3
10	asthma	2
4	gout	2
4	cold	3
3	gout	3
\.


--
-- Data for Name: release_3; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_3 (age, sex, town, group_id) FROM stdin;
64	f	Aln	8
21	m	Brix	16
30	f	Aln	9
65	m	Brix	17
48	f	Aln	15
39	m	Brix	6
61	m	Brix	4
66	f	Aln	5
47	m	Brix	3
33	m	Brix	10
63	m	Brix	17
27	m	Brix	2
34	f	Aln	14
30	f	Aln	9
60	f	Aln	12
61	m	Brix	4
62	f	Aln	8
28	f	Aln	9
35	m	Brix	10
57	m	Brix	7
43	m	Brix	20
46	f	Aln	21
40	f	Aln	18
63	m	Brix	17
40	f	Aln	18
67	m	Brix	0
26	f	Aln	13
20	f	Aln	11
68	f	Aln	5
27	m	Brix	2
60	f	Aln	12
54	f	Aln	1
39	m	Brix	6
23	m	Brix	16
32	f	Aln	9
65	m	Brix	17
47	m	Brix	3
53	m	Brix	19
33	m	Brix	10
24	f	Aln	13
59	m	Brix	4
51	m	Brix	19
25	m	Brix	16
32	f	Aln	9
68	f	Aln	5
41	m	Brix	20
37	m	Brix	6
22	f	Aln	11
29	m	Brix	2
31	m	Brix	2
69	m	Brix	0
53	m	Brix	19
67	m	Brix	0
60	f	Aln	12
62	f	Aln	8
49	m	Brix	3
34	f	Aln	14
42	f	Aln	18
20	f	Aln	11
26	f	Aln	13
61	m	Brix	4
31	m	Brix	2
46	f	Aln	21
56	f	Aln	1
24	f	Aln	13
66	f	Aln	5
54	f	Aln	1
36	f	Aln	14
53	m	Brix	19
28	f	Aln	9
55	m	Brix	7
41	m	Brix	20
48	f	Aln	15
21	m	Brix	16
51	m	Brix	19
58	f	Aln	12
46	f	Aln	21
52	f	Aln	1
34	f	Aln	14
39	m	Brix	6
59	m	Brix	4
56	f	Aln	1
55	m	Brix	7
57	m	Brix	7
23	m	Brix	16
64	f	Aln	8
44	f	Aln	21
45	m	Brix	3
50	f	Aln	15
36	f	Aln	14
50	f	Aln	15
69	m	Brix	0
48	f	Aln	15
38	f	Aln	18
25	m	Brix	16
62	f	Aln	8
22	f	Aln	11
47	m	Brix	3
40	f	Aln	18
29	m	Brix	2
43	m	Brix	20
45	m	Brix	3
42	f	Aln	18
68	f	Aln	5
26	f	Aln	13
55	m	Brix	7
44	f	Aln	21
58	f	Aln	12
37	m	Brix	6
69	m	Brix	0
32	f	Aln	9
27	m	Brix	2
38	f	Aln	18
49	m	Brix	3
41	m	Brix	20
35	m	Brix	10
54	f	Aln	1
33	m	Brix	10
25	m	Brix	16
52	f	Aln	1
\.


--
-- Data for Name: release_3_sensitive; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_3_sensitive (group_id, disease, count) FROM stdin;
11	flu	2
15	asthma	3
16	cold	2
7	flu	3
9	flu	2
1	gout	2
5	asthma	3
9	gout	3
7	gout	2
14	ulcer	3
21	cold	3
20	asthma	2
3	flu	2
17	flu	2
15	flu	2
18	asthma	2
2	gout	3
1	ulcer	3
2	cold	2
14	cold	2
8	gout	3
3	ulcer	2
0	gout	2
12	asthma	2
19	asthma	3
5	cold	2
12	flu	3
6	ulcer	3
13	ulcer	2
18	flu	3
11	gout	2
16	asthma	2
20	cold	3
16	flu	3
13	cold	3
10	flu	2
18	gout	2
4	ulcer	2
2	ulcer	2
8	ulcer	2
6	gout	2
10	asthma	3
19	cold	2
4	cold	3
0	ulcer	3
9	asthma	2
17	asthma	2
3	gout	3
21	ulcer	2
1	cold	2
\.


--
-- Data for Name: release_4; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_4 (age, town, disease) FROM stdin;
[40,45)	Brix	cold
[20,25)	Aln	gout
[45,50)	Brix	ulcer
[55,60)	Brix	gout
[50,55)	Brix	asthma
[35,40)	Brix	flu
[30,35)	Brix	cold
[25,30)	Brix	flu
[40,45)	Brix	asthma
[65,70)	Brix	gout
[60,65)	Aln	ulcer
[35,40)	Brix	gout
[30,35)	Aln	ulcer
[40,45)	Brix	cold
[30,35)	Brix	asthma
[65,70)	Brix	ulcer
[50,55)	Brix	asthma
[65,70)	Brix	ulcer
[30,35)	Aln	ulcer
[45,50)	Brix	gout
[25,30)	Aln	cold
[55,60)	Brix	flu
[25,30)	Brix	flu
[55,60)	Aln	asthma
[25,30)	Aln	cold
[65,70)	Aln	cold
[35,40)	Aln	asthma
[35,40)	Brix	ulcer
[65,70)	Aln	asthma
[30,35)	Aln	ulcer
[45,50)	Aln	asthma
[40,45)	Aln	flu
[50,55)	Aln	ulcer
[60,65)	Aln	gout
[25,30)	Aln	asthma
[25,30)	Brix	ulcer
[35,40)	Aln	cold
[50,55)	Aln	gout
[65,70)	Brix	flu
[25,30)	Brix	flu
[40,45)	Aln	ulcer
[55,60)	Brix	ulcer
[30,35)	Aln	flu
[25,30)	Brix	ulcer
[20,25)	Brix	cold
[35,40)	Aln	cold
[30,35)	Brix	asthma
[60,65)	Aln	ulcer
[20,25)	Brix	cold
[30,35)	Aln	gout
[55,60)	Brix	ulcer
[55,60)	Brix	gout
[65,70)	Brix	gout
[35,40)	Brix	ulcer
[45,50)	Aln	cold
[55,60)	Aln	asthma
[20,25)	Aln	ulcer
[20,25)	Brix	asthma
[50,55)	Aln	gout
[40,45)	Aln	ulcer
[50,55)	Aln	flu
[45,50)	Brix	gout
[45,50)	Aln	asthma
[25,30)	Brix	gout
[55,60)	Brix	flu
[30,35)	Brix	asthma
[60,65)	Aln	gout
[55,60)	Aln	cold
[40,45)	Aln	flu
[30,35)	Aln	gout
[55,60)	Aln	cold
[40,45)	Brix	asthma
[45,50)	Aln	asthma
[40,45)	Aln	gout
[50,55)	Brix	cold
[65,70)	Aln	cold
[45,50)	Aln	cold
[50,55)	Brix	cold
[20,25)	Aln	flu
[30,35)	Aln	flu
[20,25)	Brix	asthma
[60,65)	Aln	flu
[60,65)	Aln	gout
[65,70)	Aln	asthma
[25,30)	Brix	gout
[65,70)	Brix	ulcer
[35,40)	Aln	asthma
[60,65)	Aln	flu
[50,55)	Brix	asthma
[45,50)	Aln	cold
[50,55)	Aln	ulcer
[35,40)	Brix	flu
[65,70)	Brix	flu
[65,70)	Aln	asthma
[40,45)	Brix	cold
[35,40)	Brix	gout
[60,65)	Brix	asthma
[20,25)	Aln	gout
[60,65)	Aln	flu
[60,65)	Brix	asthma
[55,60)	Brix	flu
[60,65)	Brix	cold
[25,30)	Brix	gout
[20,25)	Aln	flu
[60,65)	Brix	cold
[35,40)	Brix	ulcer
[40,45)	Aln	gout
[20,25)	Aln	ulcer
[50,55)	Aln	flu
[25,30)	Aln	cold
[25,30)	Aln	asthma
[45,50)	Brix	flu
[30,35)	Aln	gout
[40,45)	Aln	flu
[45,50)	Brix	gout
[60,65)	Brix	cold
[30,35)	Brix	cold
[50,55)	Aln	ulcer
[45,50)	Brix	ulcer
[45,50)	Brix	flu
\.


--
-- Data for Name: release_4_randomization; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_4_randomization (attribute, value, retention, flip_probability) FROM stdin;
age	[20,25)	1	0
age	[25,30)	1	0
age	[30,35)	1	0
age	[35,40)	1	0
age	[40,45)	1	0
age	[45,50)	1	0
age	[50,55)	1	0
age	[55,60)	1	0
age	[60,65)	1	0
age	[65,70)	1	0
town	Aln	1	0
town	Brix	1	0
disease	asthma	1	0
disease	cold	1	0
disease	flu	1	0
disease	gout	1	0
disease	ulcer	1	0
\.


--
-- Data for Name: release_5; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_5 (age, town, disease) FROM stdin;
[45,50)	Brix	flu
[50,55)	Aln	ulcer
[55,60)	Brix	flu
[55,60)	Brix	gout
[40,45)	Brix	asthma
[45,50)	Aln	asthma
[25,30)	Aln	cold
[40,45)	Aln	ulcer
[20,25)	Aln	ulcer
[25,30)	Brix	flu
[25,30)	Brix	flu
[45,50)	Aln	asthma
[25,30)	Brix	gout
[25,30)	Aln	cold
[20,25)	Aln	flu
[60,65)	Aln	flu
[35,40)	Brix	ulcer
[25,30)	Brix	flu
[60,65)	Aln	flu
[50,55)	Brix	asthma
[35,40)	Aln	asthma
[45,50)	Aln	asthma
[20,25)	Brix	asthma
[35,40)	Brix	ulcer
[35,40)	Brix	ulcer
[50,55)	Aln	ulcer
[40,45)	Aln	flu
[40,45)	Aln	flu
[65,70)	Aln	asthma
[20,25)	Brix	cold
[40,45)	Aln	flu
[60,65)	Brix	asthma
[65,70)	Brix	ulcer
[25,30)	Brix	gout
[30,35)	Aln	gout
[55,60)	Brix	ulcer
[65,70)	Brix	gout
[35,40)	Aln	cold
[65,70)	Brix	gout
[55,60)	Aln	cold
[65,70)	Aln	cold
[45,50)	Aln	cold
[55,60)	Brix	ulcer
[60,65)	Brix	cold
[30,35)	Aln	ulcer
[55,60)	Brix	flu
[50,55)	Aln	flu
[45,50)	Brix	gout
[65,70)	Brix	flu
[45,50)	Brix	gout
[55,60)	Brix	flu
[35,40)	Brix	flu
[60,65)	Aln	gout
[45,50)	Brix	gout
[30,35)	Aln	flu
[55,60)	Aln	cold
[55,60)	Aln	asthma
[60,65)	Aln	ulcer
[60,65)	Aln	flu
[40,45)	Brix	cold
[20,25)	Aln	gout
[25,30)	Brix	ulcer
[65,70)	Brix	ulcer
[50,55)	Brix	asthma
[45,50)	Aln	cold
[50,55)	Aln	gout
[35,40)	Brix	gout
[65,70)	Aln	cold
[35,40)	Aln	asthma
[45,50)	Brix	ulcer
[40,45)	Aln	gout
[60,65)	Aln	gout
[30,35)	Aln	ulcer
[50,55)	Aln	flu
[25,30)	Brix	ulcer
[30,35)	Aln	ulcer
[20,25)	Brix	asthma
[30,35)	Brix	asthma
[30,35)	Brix	cold
[30,35)	Brix	cold
[25,30)	Brix	gout
[35,40)	Brix	flu
[40,45)	Aln	ulcer
[65,70)	Aln	asthma
[30,35)	Aln	gout
[30,35)	Aln	gout
[65,70)	Aln	asthma
[50,55)	Aln	ulcer
[30,35)	Brix	asthma
[60,65)	Brix	cold
[60,65)	Aln	gout
[20,25)	Aln	flu
[20,25)	Aln	gout
[60,65)	Brix	cold
[45,50)	Aln	cold
[25,30)	Aln	cold
[60,65)	Brix	asthma
[40,45)	Aln	gout
[65,70)	Brix	flu
[45,50)	Brix	ulcer
[25,30)	Aln	asthma
[35,40)	Brix	gout
[40,45)	Brix	cold
[30,35)	Aln	flu
[65,70)	Brix	ulcer
[50,55)	Brix	asthma
[55,60)	Aln	asthma
[40,45)	Brix	cold
[50,55)	Brix	cold
[45,50)	Brix	flu
[35,40)	Aln	cold
[50,55)	Brix	cold
[50,55)	Aln	gout
[30,35)	Brix	asthma
[25,30)	Aln	asthma
[55,60)	Brix	gout
[40,45)	Brix	asthma
[20,25)	Brix	cold
[20,25)	Aln	ulcer
[60,65)	Aln	ulcer
\.


--
-- Data for Name: release_6; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_6 (age, sex, disease) FROM stdin;
[36,41)	f	flu
[66,69)	f	asthma
[21,45)	*	cold
[29,32)	m	cold
[24,27)	f	ulcer
[20,23)	f	flu
[66,69)	f	asthma
[54,57)	f	ulcer
[59,62)	m	ulcer
[46,70)	*	ulcer
[53,56)	m	asthma
[25,28)	m	flu
[23,26)	m	flu
[55,58)	m	gout
[35,40)	m	gout
[34,37)	f	cold
[54,57)	f	ulcer
[60,63)	f	gout
[25,28)	m	gout
[61,66)	m	flu
[56,61)	f	asthma
[41,46)	m	asthma
[30,33)	f	gout
[35,40)	m	ulcer
[50,53)	f	flu
[23,26)	m	asthma
[21,45)	*	ulcer
[24,27)	f	ulcer
[62,67)	f	gout
[39,42)	m	cold
[50,53)	f	flu
[46,49)	f	asthma
[61,66)	m	cold
[62,67)	f	ulcer
[49,52)	m	cold
[25,28)	m	gout
[45,48)	m	gout
[65,70)	m	gout
[65,70)	m	gout
[39,42)	m	cold
[36,41)	f	cold
[20,23)	f	gout
[61,66)	m	asthma
[33,36)	m	asthma
[33,36)	m	flu
[36,41)	f	asthma
[56,61)	f	flu
[65,70)	m	flu
[55,58)	m	flu
[40,43)	f	flu
[54,57)	f	cold
[45,48)	m	flu
[49,52)	m	cold
[20,23)	f	gout
[39,42)	m	ulcer
[60,63)	f	gout
[55,58)	m	flu
[29,32)	m	ulcer
[54,57)	f	ulcer
[35,40)	m	gout
[24,27)	f	cold
[26,31)	f	asthma
[40,43)	f	gout
[41,46)	m	asthma
[59,62)	m	cold
[50,53)	f	gout
[21,45)	*	ulcer
[60,63)	f	flu
[34,37)	f	ulcer
[26,31)	f	asthma
[46,49)	f	asthma
[25,28)	m	gout
[40,43)	f	flu
[53,56)	m	asthma
[59,62)	m	cold
[34,37)	f	ulcer
[45,48)	m	gout
[49,52)	m	ulcer
[45,48)	m	gout
[23,26)	m	asthma
[30,33)	f	gout
[46,49)	f	cold
[33,36)	m	asthma
[26,31)	f	cold
[30,33)	f	gout
[46,70)	*	ulcer
[56,61)	f	cold
[24,27)	f	cold
[46,49)	f	asthma
[33,36)	m	asthma
[50,53)	f	gout
[41,46)	m	flu
[20,23)	f	flu
[26,31)	f	flu
[40,43)	f	gout
[61,66)	m	asthma
[55,58)	m	gout
[23,26)	m	flu
[66,69)	f	cold
[53,56)	m	flu
[49,52)	m	ulcer
[65,70)	m	ulcer
[36,41)	f	asthma
[29,32)	m	cold
[56,61)	f	asthma
[21,45)	*	cold
[46,70)	*	cold
[30,33)	f	flu
[41,46)	m	cold
[46,70)	*	cold
[60,63)	f	flu
[34,37)	f	ulcer
[66,69)	f	asthma
[62,67)	f	ulcer
[62,67)	f	cold
[29,32)	m	ulcer
[35,40)	m	flu
[59,62)	m	ulcer
[39,42)	m	ulcer
[53,56)	m	asthma
\.


--
-- Data for Name: release_7; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_7 (age, sex, disease) FROM stdin;
[46,49)	f	gout
[36,41)	f	flu
[46,70)	*	flu
[23,26)	m	ulcer
[26,31)	f	gout
[54,57)	f	asthma
[33,36)	m	gout
[41,46)	m	gout
[30,33)	f	cold
[66,69)	f	gout
[50,53)	f	ulcer
[55,58)	m	ulcer
[49,52)	m	flu
[49,52)	m	flu
[29,32)	m	flu
[45,48)	m	cold
[24,27)	f	asthma
[59,62)	m	asthma
[21,45)	*	asthma
[30,33)	f	cold
[59,62)	m	flu
[24,27)	f	flu
[39,42)	m	flu
[61,66)	m	flu
[65,70)	m	asthma
[21,45)	*	flu
[46,70)	*	asthma
[24,27)	f	asthma
[40,43)	f	ulcer
[40,43)	f	ulcer
[35,40)	m	ulcer
[20,23)	f	cold
[61,66)	m	ulcer
[54,57)	f	asthma
[65,70)	m	cold
[55,58)	m	cold
[40,43)	f	cold
[23,26)	m	ulcer
[46,49)	f	gout
[33,36)	m	ulcer
[60,63)	f	cold
[46,49)	f	gout
[29,32)	m	asthma
[45,48)	m	cold
[24,27)	f	flu
[53,56)	m	ulcer
[62,67)	f	asthma
[56,61)	f	flu
[36,41)	f	gout
[41,46)	m	ulcer
[36,41)	f	gout
[61,66)	m	gout
[60,63)	f	ulcer
[53,56)	m	gout
[60,63)	f	cold
[25,28)	m	cold
[34,37)	f	asthma
[66,69)	f	gout
[46,49)	f	flu
[39,42)	m	flu
[20,23)	f	cold
[26,31)	f	ulcer
[20,23)	f	ulcer
[34,37)	f	asthma
[59,62)	m	asthma
[26,31)	f	gout
[56,61)	f	gout
[50,53)	f	cold
[65,70)	m	cold
[41,46)	m	gout
[36,41)	f	ulcer
[45,48)	m	ulcer
[66,69)	f	gout
[33,36)	m	gout
[62,67)	f	flu
[25,28)	m	ulcer
[39,42)	m	asthma
[54,57)	f	flu
[35,40)	m	asthma
[55,58)	m	ulcer
[35,40)	m	cold
[35,40)	m	cold
[21,45)	*	asthma
[50,53)	f	ulcer
[45,48)	m	cold
[62,67)	f	asthma
[56,61)	f	ulcer
[23,26)	m	gout
[30,33)	f	ulcer
[61,66)	m	gout
[59,62)	m	flu
[30,33)	f	cold
[53,56)	m	gout
[41,46)	m	flu
[20,23)	f	ulcer
[26,31)	f	flu
[23,26)	m	gout
[25,28)	m	cold
[49,52)	m	asthma
[34,37)	f	flu
[65,70)	m	ulcer
[25,28)	m	cold
[46,70)	*	asthma
[60,63)	f	ulcer
[66,69)	f	flu
[56,61)	f	gout
[50,53)	f	cold
[40,43)	f	cold
[33,36)	m	gout
[29,32)	m	asthma
[54,57)	f	asthma
[21,45)	*	flu
[34,37)	f	asthma
[49,52)	m	asthma
[29,32)	m	flu
[53,56)	m	gout
[62,67)	f	cold
[55,58)	m	cold
[39,42)	m	asthma
[46,70)	*	flu
\.


--
-- Data for Name: belief; Type: TABLE DATA; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COPY upgrade_publisher.belief (sex, disease, probability) FROM stdin;
f	flu	0.2
f	ulcer	0.2
f	asthma	0.2
f	gout	0.2
f	cold	0.2
m	flu	0.2
m	ulcer	0.2
m	asthma	0.2
m	gout	0.2
m	cold	0.2
\.


--
-- Data for Name: patient; Type: TABLE DATA; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COPY upgrade_publisher.patient (id, age, sex, town, disease, smokes, ward) FROM stdin;
1	27	m	Brix	gout	yes	1
2	34	f	Aln	ulcer	yes	2
3	41	m	Brix	cold	no	3
4	48	f	Aln	asthma	no	4
5	55	m	Brix	flu	no	5
6	62	f	Aln	gout	yes	0
7	69	m	Brix	ulcer	yes	1
8	26	f	Aln	cold	yes	2
9	33	m	Brix	asthma	no	3
10	40	f	Aln	flu	no	4
11	47	m	Brix	gout	no	5
12	54	f	Aln	ulcer	yes	0
13	61	m	Brix	cold	yes	1
14	68	f	Aln	asthma	yes	2
15	25	m	Brix	flu	no	3
16	32	f	Aln	gout	no	4
17	39	m	Brix	ulcer	no	5
18	46	f	Aln	cold	yes	0
19	53	m	Brix	asthma	yes	1
20	60	f	Aln	flu	yes	2
21	67	m	Brix	gout	no	3
22	24	f	Aln	ulcer	no	4
23	31	m	Brix	cold	no	5
24	38	f	Aln	asthma	yes	0
25	45	m	Brix	flu	yes	1
26	52	f	Aln	gout	yes	2
27	59	m	Brix	ulcer	no	3
28	66	f	Aln	cold	no	4
29	23	m	Brix	asthma	no	5
30	30	f	Aln	flu	yes	0
31	37	m	Brix	gout	yes	1
32	44	f	Aln	ulcer	yes	2
33	51	m	Brix	cold	no	3
34	58	f	Aln	asthma	no	4
35	65	m	Brix	flu	no	5
36	22	f	Aln	gout	yes	0
37	29	m	Brix	ulcer	yes	1
38	36	f	Aln	cold	yes	2
39	43	m	Brix	asthma	no	3
40	50	f	Aln	flu	no	4
41	57	m	Brix	gout	no	5
42	64	f	Aln	ulcer	yes	0
43	21	m	Brix	cold	yes	1
44	28	f	Aln	asthma	yes	2
45	35	m	Brix	flu	no	3
46	42	f	Aln	gout	no	4
47	49	m	Brix	ulcer	no	5
48	56	f	Aln	cold	yes	0
49	63	m	Brix	asthma	yes	1
50	20	f	Aln	flu	yes	2
51	27	m	Brix	gout	no	3
52	34	f	Aln	ulcer	no	4
53	41	m	Brix	cold	no	5
54	48	f	Aln	asthma	yes	0
55	55	m	Brix	flu	yes	1
56	62	f	Aln	gout	yes	2
57	69	m	Brix	ulcer	no	3
58	26	f	Aln	cold	no	4
59	33	m	Brix	asthma	no	5
60	40	f	Aln	flu	yes	0
61	47	m	Brix	gout	yes	1
62	54	f	Aln	ulcer	yes	2
63	61	m	Brix	cold	no	3
64	68	f	Aln	asthma	no	4
65	25	m	Brix	flu	no	5
66	32	f	Aln	gout	yes	0
67	39	m	Brix	ulcer	yes	1
68	46	f	Aln	cold	yes	2
69	53	m	Brix	asthma	no	3
70	60	f	Aln	flu	no	4
71	67	m	Brix	gout	no	5
72	24	f	Aln	ulcer	yes	0
73	31	m	Brix	cold	yes	1
74	38	f	Aln	asthma	yes	2
75	45	m	Brix	flu	no	3
76	52	f	Aln	gout	no	4
77	59	m	Brix	ulcer	no	5
78	66	f	Aln	cold	yes	0
79	23	m	Brix	asthma	yes	1
80	30	f	Aln	flu	yes	2
81	37	m	Brix	gout	no	3
82	44	f	Aln	ulcer	no	4
83	51	m	Brix	cold	no	5
84	58	f	Aln	asthma	yes	0
85	65	m	Brix	flu	yes	1
86	22	f	Aln	gout	yes	2
87	29	m	Brix	ulcer	no	3
88	36	f	Aln	cold	no	4
89	43	m	Brix	asthma	no	5
90	50	f	Aln	flu	yes	0
91	57	m	Brix	gout	yes	1
92	64	f	Aln	ulcer	yes	2
93	21	m	Brix	cold	no	3
94	28	f	Aln	asthma	no	4
95	35	m	Brix	flu	no	5
96	42	f	Aln	gout	yes	0
97	49	m	Brix	ulcer	yes	1
98	56	f	Aln	cold	yes	2
99	63	m	Brix	asthma	no	3
100	20	f	Aln	flu	no	4
101	27	m	Brix	gout	no	5
102	34	f	Aln	ulcer	yes	0
103	41	m	Brix	cold	yes	1
104	48	f	Aln	asthma	yes	2
105	55	m	Brix	flu	no	3
106	62	f	Aln	gout	no	4
107	69	m	Brix	ulcer	no	5
108	26	f	Aln	cold	yes	0
109	33	m	Brix	asthma	yes	1
110	40	f	Aln	flu	yes	2
111	47	m	Brix	gout	no	3
112	54	f	Aln	ulcer	no	4
113	61	m	Brix	cold	no	5
114	68	f	Aln	asthma	yes	0
115	25	m	Brix	flu	yes	1
116	32	f	Aln	gout	yes	2
117	39	m	Brix	ulcer	no	3
118	46	f	Aln	cold	no	4
119	53	m	Brix	asthma	no	5
120	60	f	Aln	flu	yes	0
\.


--
-- Data for Name: town; Type: TABLE DATA; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COPY upgrade_publisher.town (town, region, everywhere) FROM stdin;
Aln	north	*
Brix	north	*
Corm	south	*
Dell	south	*
\.


--
-- Data for Name: visit; Type: TABLE DATA; Schema: upgrade_publisher; Owner: upgrade_publisher
--

COPY upgrade_publisher.visit (id, age, sex, day, month, disease) FROM stdin;
1	27	m	2026-01-01	1	gout
2	34	f	2026-01-01	1	ulcer
3	41	m	2026-01-01	1	cold
4	48	f	2026-01-01	1	asthma
5	55	m	2026-01-01	1	flu
6	62	f	2026-01-01	1	gout
7	69	m	2026-01-01	1	ulcer
8	26	f	2026-01-01	1	cold
9	33	m	2026-01-01	1	asthma
10	40	f	2026-01-01	1	flu
11	47	m	2026-01-01	1	gout
12	54	f	2026-01-01	1	ulcer
13	61	m	2026-01-01	1	cold
14	68	f	2026-01-01	1	asthma
15	25	m	2026-01-01	1	flu
16	32	f	2026-01-01	1	gout
17	39	m	2026-01-01	1	ulcer
18	46	f	2026-01-01	1	cold
19	53	m	2026-01-01	1	asthma
20	60	f	2026-01-01	1	flu
21	67	m	2026-01-01	1	gout
22	24	f	2026-01-01	1	ulcer
23	31	m	2026-01-01	1	cold
24	38	f	2026-01-01	1	asthma
25	45	m	2026-01-01	1	flu
26	52	f	2026-01-01	1	gout
27	59	m	2026-01-01	1	ulcer
28	66	f	2026-01-01	1	cold
29	23	m	2026-01-01	1	asthma
30	30	f	2026-01-01	1	flu
31	37	m	2026-01-01	1	gout
32	44	f	2026-01-01	1	ulcer
33	51	m	2026-01-01	1	cold
34	58	f	2026-01-01	1	asthma
35	65	m	2026-01-01	1	flu
36	22	f	2026-01-01	1	gout
37	29	m	2026-01-01	1	ulcer
38	36	f	2026-01-01	1	cold
39	43	m	2026-01-01	1	asthma
40	50	f	2026-01-01	1	flu
41	57	m	2026-01-01	1	gout
42	64	f	2026-01-01	1	ulcer
43	21	m	2026-01-01	1	cold
44	28	f	2026-01-01	1	asthma
45	35	m	2026-01-01	1	flu
46	42	f	2026-01-01	1	gout
47	49	m	2026-01-01	1	ulcer
48	56	f	2026-01-01	1	cold
49	63	m	2026-01-01	1	asthma
50	20	f	2026-01-01	1	flu
51	27	m	2026-01-01	1	gout
52	34	f	2026-01-01	1	ulcer
53	41	m	2026-01-01	1	cold
54	48	f	2026-01-01	1	asthma
55	55	m	2026-01-01	1	flu
56	62	f	2026-01-01	1	gout
57	69	m	2026-01-01	1	ulcer
58	26	f	2026-01-01	1	cold
59	33	m	2026-01-01	1	asthma
60	40	f	2026-01-01	1	flu
61	47	m	2026-01-01	1	gout
62	54	f	2026-01-01	1	ulcer
63	61	m	2026-01-01	1	cold
64	68	f	2026-01-01	1	asthma
65	25	m	2026-01-01	1	flu
66	32	f	2026-01-01	1	gout
67	39	m	2026-01-01	1	ulcer
68	46	f	2026-01-01	1	cold
69	53	m	2026-01-01	1	asthma
70	60	f	2026-01-01	1	flu
71	67	m	2026-01-01	1	gout
72	24	f	2026-01-01	1	ulcer
73	31	m	2026-01-01	1	cold
74	38	f	2026-01-01	1	asthma
75	45	m	2026-01-01	1	flu
76	52	f	2026-01-01	1	gout
77	59	m	2026-01-01	1	ulcer
78	66	f	2026-01-01	1	cold
79	23	m	2026-01-01	1	asthma
80	30	f	2026-01-01	1	flu
81	37	m	2026-01-01	1	gout
82	44	f	2026-01-01	1	ulcer
83	51	m	2026-01-01	1	cold
84	58	f	2026-01-01	1	asthma
85	65	m	2026-01-01	1	flu
86	22	f	2026-01-01	1	gout
87	29	m	2026-01-01	1	ulcer
88	36	f	2026-01-01	1	cold
89	43	m	2026-01-01	1	asthma
90	50	f	2026-01-01	1	flu
91	57	m	2026-01-01	1	gout
92	64	f	2026-01-01	1	ulcer
93	21	m	2026-01-01	1	cold
94	28	f	2026-01-01	1	asthma
95	35	m	2026-01-01	1	flu
96	42	f	2026-01-01	1	gout
97	49	m	2026-01-01	1	ulcer
98	56	f	2026-01-01	1	cold
99	63	m	2026-01-01	1	asthma
100	20	f	2026-01-01	1	flu
101	27	m	2026-01-01	1	gout
102	34	f	2026-01-01	1	ulcer
103	41	m	2026-01-01	1	cold
104	48	f	2026-01-01	1	asthma
105	55	m	2026-01-01	1	flu
106	62	f	2026-01-01	1	gout
107	69	m	2026-01-01	1	ulcer
108	26	f	2026-01-01	1	cold
109	33	m	2026-01-01	1	asthma
110	40	f	2026-01-01	1	flu
111	47	m	2026-01-01	1	gout
112	54	f	2026-01-01	1	ulcer
113	61	m	2026-01-01	1	cold
114	68	f	2026-01-01	1	asthma
115	25	m	2026-01-01	1	flu
116	32	f	2026-01-01	1	gout
117	39	m	2026-01-01	1	ulcer
118	46	f	2026-01-01	1	cold
119	53	m	2026-01-01	1	asthma
120	60	f	2026-01-01	1	flu
1	27	m	2026-02-01	2	cold
2	34	f	2026-02-01	2	asthma
3	41	m	2026-02-01	2	flu
4	48	f	2026-02-01	2	gout
5	55	m	2026-02-01	2	ulcer
6	62	f	2026-02-01	2	cold
7	69	m	2026-02-01	2	asthma
8	26	f	2026-02-01	2	flu
9	33	m	2026-02-01	2	gout
10	40	f	2026-02-01	2	ulcer
11	47	m	2026-02-01	2	cold
12	54	f	2026-02-01	2	asthma
13	61	m	2026-02-01	2	flu
14	68	f	2026-02-01	2	gout
15	25	m	2026-02-01	2	ulcer
16	32	f	2026-02-01	2	cold
17	39	m	2026-02-01	2	asthma
18	46	f	2026-02-01	2	flu
19	53	m	2026-02-01	2	gout
20	60	f	2026-02-01	2	ulcer
21	67	m	2026-02-01	2	cold
22	24	f	2026-02-01	2	asthma
23	31	m	2026-02-01	2	flu
24	38	f	2026-02-01	2	gout
25	45	m	2026-02-01	2	ulcer
26	52	f	2026-02-01	2	cold
27	59	m	2026-02-01	2	asthma
28	66	f	2026-02-01	2	flu
29	23	m	2026-02-01	2	gout
30	30	f	2026-02-01	2	ulcer
31	37	m	2026-02-01	2	cold
32	44	f	2026-02-01	2	asthma
33	51	m	2026-02-01	2	flu
34	58	f	2026-02-01	2	gout
35	65	m	2026-02-01	2	ulcer
36	22	f	2026-02-01	2	cold
37	29	m	2026-02-01	2	asthma
38	36	f	2026-02-01	2	flu
39	43	m	2026-02-01	2	gout
40	50	f	2026-02-01	2	ulcer
41	57	m	2026-02-01	2	cold
42	64	f	2026-02-01	2	asthma
43	21	m	2026-02-01	2	flu
44	28	f	2026-02-01	2	gout
45	35	m	2026-02-01	2	ulcer
46	42	f	2026-02-01	2	cold
47	49	m	2026-02-01	2	asthma
48	56	f	2026-02-01	2	flu
49	63	m	2026-02-01	2	gout
50	20	f	2026-02-01	2	ulcer
51	27	m	2026-02-01	2	cold
52	34	f	2026-02-01	2	asthma
53	41	m	2026-02-01	2	flu
54	48	f	2026-02-01	2	gout
55	55	m	2026-02-01	2	ulcer
56	62	f	2026-02-01	2	cold
57	69	m	2026-02-01	2	asthma
58	26	f	2026-02-01	2	flu
59	33	m	2026-02-01	2	gout
60	40	f	2026-02-01	2	ulcer
61	47	m	2026-02-01	2	cold
62	54	f	2026-02-01	2	asthma
63	61	m	2026-02-01	2	flu
64	68	f	2026-02-01	2	gout
65	25	m	2026-02-01	2	ulcer
66	32	f	2026-02-01	2	cold
67	39	m	2026-02-01	2	asthma
68	46	f	2026-02-01	2	flu
69	53	m	2026-02-01	2	gout
70	60	f	2026-02-01	2	ulcer
71	67	m	2026-02-01	2	cold
72	24	f	2026-02-01	2	asthma
73	31	m	2026-02-01	2	flu
74	38	f	2026-02-01	2	gout
75	45	m	2026-02-01	2	ulcer
76	52	f	2026-02-01	2	cold
77	59	m	2026-02-01	2	asthma
78	66	f	2026-02-01	2	flu
79	23	m	2026-02-01	2	gout
80	30	f	2026-02-01	2	ulcer
81	37	m	2026-02-01	2	cold
82	44	f	2026-02-01	2	asthma
83	51	m	2026-02-01	2	flu
84	58	f	2026-02-01	2	gout
85	65	m	2026-02-01	2	ulcer
86	22	f	2026-02-01	2	cold
87	29	m	2026-02-01	2	asthma
88	36	f	2026-02-01	2	flu
89	43	m	2026-02-01	2	gout
90	50	f	2026-02-01	2	ulcer
91	57	m	2026-02-01	2	cold
92	64	f	2026-02-01	2	asthma
93	21	m	2026-02-01	2	flu
94	28	f	2026-02-01	2	gout
95	35	m	2026-02-01	2	ulcer
96	42	f	2026-02-01	2	cold
97	49	m	2026-02-01	2	asthma
98	56	f	2026-02-01	2	flu
99	63	m	2026-02-01	2	gout
100	20	f	2026-02-01	2	ulcer
101	27	m	2026-02-01	2	cold
102	34	f	2026-02-01	2	asthma
103	41	m	2026-02-01	2	flu
104	48	f	2026-02-01	2	gout
105	55	m	2026-02-01	2	ulcer
106	62	f	2026-02-01	2	cold
107	69	m	2026-02-01	2	asthma
108	26	f	2026-02-01	2	flu
109	33	m	2026-02-01	2	gout
110	40	f	2026-02-01	2	ulcer
111	47	m	2026-02-01	2	cold
112	54	f	2026-02-01	2	asthma
113	61	m	2026-02-01	2	flu
114	68	f	2026-02-01	2	gout
115	25	m	2026-02-01	2	ulcer
116	32	f	2026-02-01	2	cold
117	39	m	2026-02-01	2	asthma
118	46	f	2026-02-01	2	flu
119	53	m	2026-02-01	2	gout
120	60	f	2026-02-01	2	ulcer
\.


--
-- Name: audit_id; Type: SEQUENCE SET; Schema: bkpriv; Owner: postgres
--

SELECT pg_catalog.setval('bkpriv.audit_id', 18, true);


--
-- Name: release_event_id; Type: SEQUENCE SET; Schema: bkpriv; Owner: postgres
--

SELECT pg_catalog.setval('bkpriv.release_event_id', 3, true);


--
-- Name: release_id; Type: SEQUENCE SET; Schema: bkpriv; Owner: postgres
--

SELECT pg_catalog.setval('bkpriv.release_id', 9, true);


--
-- Name: release_1 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_1 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_2 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_2 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_2_sensitive guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_2_sensitive FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_3 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_3 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_3_sensitive guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_3_sensitive FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_4 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_4 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_4_randomization guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_4_randomization FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_5 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_5 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_6 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_6 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_7 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_7 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: patient bkpriv_watch; Type: TRIGGER; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE TRIGGER bkpriv_watch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON upgrade_publisher.patient FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale('f00aebac-af88-4701-a1da-7b72a8e5cdef');

ALTER TABLE upgrade_publisher.patient ENABLE ALWAYS TRIGGER bkpriv_watch;


--
-- Name: visit bkpriv_watch; Type: TRIGGER; Schema: upgrade_publisher; Owner: upgrade_publisher
--

CREATE TRIGGER bkpriv_watch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON upgrade_publisher.visit FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale('63462e12-6356-4d17-b21e-4daa96260342');

ALTER TABLE upgrade_publisher.visit ENABLE ALWAYS TRIGGER bkpriv_watch;


--
-- Name: SCHEMA bkpriv; Type: ACL; Schema: -; Owner: postgres
--

GRANT USAGE ON SCHEMA bkpriv TO upgrade_publisher;
GRANT USAGE ON SCHEMA bkpriv TO upgrade_auditor;


--
-- Name: SCHEMA bkpriv_release; Type: ACL; Schema: -; Owner: postgres
--

GRANT USAGE ON SCHEMA bkpriv_release TO upgrade_publisher;


--
-- Name: SCHEMA upgrade_publisher; Type: ACL; Schema: -; Owner: upgrade_publisher
--

GRANT USAGE ON SCHEMA upgrade_publisher TO upgrade_reader;


--
-- Name: FUNCTION auditor(); Type: ACL; Schema: bkpriv_internal; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv_internal.auditor() TO upgrade_auditor;


--
-- Name: TABLE release_1; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

GRANT SELECT ON TABLE bkpriv_release.release_1 TO upgrade_publisher;


--
-- Name: TABLE release_2; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

GRANT SELECT ON TABLE bkpriv_release.release_2 TO upgrade_publisher;


--
-- Name: TABLE release_2_sensitive; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

GRANT SELECT ON TABLE bkpriv_release.release_2_sensitive TO upgrade_publisher;


--
-- Name: TABLE release_3; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

GRANT SELECT ON TABLE bkpriv_release.release_3 TO upgrade_publisher;


--
-- Name: TABLE release_3_sensitive; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

GRANT SELECT ON TABLE bkpriv_release.release_3_sensitive TO upgrade_publisher;


--
-- Name: TABLE release_4; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

GRANT SELECT ON TABLE bkpriv_release.release_4 TO upgrade_publisher;


--
-- Name: TABLE release_4_randomization; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

GRANT SELECT ON TABLE bkpriv_release.release_4_randomization TO upgrade_publisher;


--
-- Name: TABLE release_5; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

GRANT SELECT ON TABLE bkpriv_release.release_5 TO upgrade_publisher;


--
-- Name: TABLE release_6; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

GRANT SELECT ON TABLE bkpriv_release.release_6 TO upgrade_publisher;


--
-- Name: TABLE release_7; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

GRANT SELECT ON TABLE bkpriv_release.release_7 TO upgrade_publisher;


--
-- Name: TABLE grouped; Type: ACL; Schema: upgrade_publisher; Owner: upgrade_publisher
--

GRANT SELECT ON TABLE upgrade_publisher.grouped TO upgrade_reader;


--
-- Name: binned; Type: MATERIALIZED VIEW DATA; Schema: upgrade_publisher; Owner: upgrade_publisher
--

REFRESH MATERIALIZED VIEW upgrade_publisher.binned;


--
-- PostgreSQL database dump complete
--


