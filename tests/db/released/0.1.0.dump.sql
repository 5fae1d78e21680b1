--
-- PostgreSQL database dump
--


-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

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
-- Name: ward; Type: SCHEMA; Schema: -; Owner: postgres
--

CREATE SCHEMA ward;


ALTER SCHEMA ward OWNER TO postgres;

--
-- Name: stage; Type: TYPE; Schema: ward; Owner: postgres
--

CREATE TYPE ward.stage AS ENUM (
    'mild',
    'grave',
    'dire'
);


ALTER TYPE ward.stage OWNER TO postgres;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: release_1; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_1 (
    age int4range,
    sex text,
    city text,
    disease text
);


ALTER TABLE bkpriv_release.release_1 OWNER TO postgres;

--
-- Name: release_2; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_2 (
    age int4range,
    sex text,
    city text,
    disease text
);


ALTER TABLE bkpriv_release.release_2 OWNER TO postgres;

--
-- Name: release_4; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_4 (
    age integer,
    sex text,
    city text,
    group_id integer,
    disease text
);


ALTER TABLE bkpriv_release.release_4 OWNER TO postgres;

--
-- Name: release_4_sensitive; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_4_sensitive (
    group_id integer,
    disease text,
    count bigint
);


ALTER TABLE bkpriv_release.release_4_sensitive OWNER TO postgres;

--
-- Name: release_5; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_5 (
    age integer,
    sex text,
    city text,
    group_id integer
);


ALTER TABLE bkpriv_release.release_5 OWNER TO postgres;

--
-- Name: release_5_sensitive; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_5_sensitive (
    group_id integer,
    disease text,
    count bigint
);


ALTER TABLE bkpriv_release.release_5_sensitive OWNER TO postgres;

--
-- Name: release_6; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_6 (
    age int4range,
    sex text,
    city text,
    disease text
);


ALTER TABLE bkpriv_release.release_6 OWNER TO postgres;

--
-- Name: release_7; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_7 (
    age int4range,
    unit text,
    stage ward.stage
);


ALTER TABLE bkpriv_release.release_7 OWNER TO postgres;

--
-- Name: release_8; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_8 (
    age int4range,
    unit text
);


ALTER TABLE bkpriv_release.release_8 OWNER TO postgres;

--
-- Name: release_9; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_9 (
    age int4range,
    unit text
);


ALTER TABLE bkpriv_release.release_9 OWNER TO postgres;

--
-- Name: anatomy; Type: VIEW; Schema: ward; Owner: postgres
--

CREATE VIEW ward.anatomy WITH (security_barrier='true') AS
 SELECT release_5.age,
    release_5.sex,
    release_5.city,
    release_5.group_id
   FROM bkpriv_release.release_5;


ALTER TABLE ward.anatomy OWNER TO postgres;

--
-- Name: anatomy_sensitive; Type: VIEW; Schema: ward; Owner: postgres
--

CREATE VIEW ward.anatomy_sensitive WITH (security_barrier='true') AS
 SELECT release_5_sensitive.group_id,
    release_5_sensitive.disease,
    release_5_sensitive.count
   FROM bkpriv_release.release_5_sensitive;


ALTER TABLE ward.anatomy_sensitive OWNER TO postgres;

--
-- Name: buckets; Type: VIEW; Schema: ward; Owner: postgres
--

CREATE VIEW ward.buckets WITH (security_barrier='true') AS
 SELECT release_4.age,
    release_4.sex,
    release_4.city,
    release_4.group_id,
    release_4.disease
   FROM bkpriv_release.release_4;


ALTER TABLE ward.buckets OWNER TO postgres;

--
-- Name: buckets_sensitive; Type: VIEW; Schema: ward; Owner: postgres
--

CREATE VIEW ward.buckets_sensitive WITH (security_barrier='true') AS
 SELECT release_4_sensitive.group_id,
    release_4_sensitive.disease,
    release_4_sensitive.count
   FROM bkpriv_release.release_4_sensitive;


ALTER TABLE ward.buckets_sensitive OWNER TO postgres;

--
-- Name: case; Type: TABLE; Schema: ward; Owner: postgres
--

CREATE TABLE ward."case" (
    age integer,
    stage ward.stage,
    unit text
);


ALTER TABLE ward."case" OWNER TO postgres;

--
-- Name: cases; Type: MATERIALIZED VIEW; Schema: ward; Owner: postgres
--

CREATE MATERIALIZED VIEW ward.cases AS
 SELECT release_7.age,
    release_7.unit,
    release_7.stage
   FROM bkpriv_release.release_7
  WITH NO DATA;


ALTER TABLE ward.cases OWNER TO postgres;

--
-- Name: city; Type: TABLE; Schema: ward; Owner: postgres
--

CREATE TABLE ward.city (
    city text,
    region text,
    root text
);


ALTER TABLE ward.city OWNER TO postgres;

--
-- Name: fresh; Type: VIEW; Schema: ward; Owner: upgrade_publisher
--

CREATE VIEW ward.fresh WITH (security_barrier='true') AS
 SELECT release_9.age,
    release_9.unit
   FROM bkpriv_release.release_9;


ALTER TABLE ward.fresh OWNER TO upgrade_publisher;

--
-- Name: overview; Type: VIEW; Schema: ward; Owner: postgres
--

CREATE VIEW ward.overview AS
 SELECT releases.release,
    releases.status,
    releases.stale
   FROM bkpriv.releases;


ALTER TABLE ward.overview OWNER TO postgres;

--
-- Name: patient; Type: TABLE; Schema: ward; Owner: postgres
--

CREATE TABLE ward.patient (
    age integer,
    sex text,
    city text,
    disease text
);


ALTER TABLE ward.patient OWNER TO postgres;

--
-- Name: patients; Type: VIEW; Schema: ward; Owner: postgres
--

CREATE VIEW ward.patients WITH (security_barrier='true') AS
 SELECT release_2.age,
    release_2.sex,
    release_2.city,
    release_2.disease
   FROM bkpriv_release.release_2;


ALTER TABLE ward.patients OWNER TO postgres;

--
-- Name: people; Type: VIEW; Schema: ward; Owner: upgrade_publisher
--

CREATE VIEW ward.people WITH (security_barrier='true') AS
 SELECT release_8.age,
    release_8.unit
   FROM bkpriv_release.release_8;


ALTER TABLE ward.people OWNER TO upgrade_publisher;

--
-- Name: person; Type: TABLE; Schema: ward; Owner: postgres
--

CREATE TABLE ward.person (
    id integer,
    age integer,
    unit text
);


ALTER TABLE ward.person OWNER TO postgres;

--
-- Name: whole; Type: VIEW; Schema: ward; Owner: postgres
--

CREATE VIEW ward.whole WITH (security_barrier='true') AS
 SELECT release_6.age,
    release_6.sex,
    release_6.city,
    release_6.disease
   FROM bkpriv_release.release_6;


ALTER TABLE ward.whole OWNER TO postgres;

--
-- Data for Name: audit_record; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.audit_record (audit, place, release, requirement, parameters, threshold, worst, mean, vulnerable, satisfied, estimator, audited_at, audited_by) FROM stdin;
1	0	1	k_anonymity	{"k": 4}	4	4	6.1875	0	t	exact	2026-11-22 05:19:00.569951+00	postgres
1	1	1	l_diversity	{"l": 2, "variant": "distinct"}	2	2	3.3854166666666665	0	t	exact	2026-11-22 05:19:00.569951+00	postgres
2	0	2	k_anonymity	{"k": 3}	3	3	4.854166666666667	0	t	exact	2026-11-22 05:19:00.67374+00	postgres
2	1	2	bt_privacy	{"t": 0.4, "bandwidth": 0.3}	0.4	0.3857124217297052	0.14829347069271784	0	t	exact	2026-11-22 05:19:00.67374+00	postgres
3	0	3	k_anonymity	{"k": 4}	4	4	6.1875	0	t	exact	2026-11-22 05:19:00.920034+00	postgres
3	1	3	l_diversity	{"l": 2, "variant": "distinct"}	2	2	3.3854166666666665	0	t	exact	2026-11-22 05:19:00.920034+00	postgres
4	0	4	k_anonymity	{"k": 4}	4	4	6.1875	0	t	exact	2026-11-22 05:19:01.021426+00	postgres
4	1	4	l_diversity	{"l": 2, "variant": "distinct"}	2	2	3.3854166666666665	0	t	exact	2026-11-22 05:19:01.021426+00	postgres
5	0	5	k_anonymity	{"k": 4}	4	4	4	0	t	exact	2026-11-22 05:19:01.117414+00	postgres
5	1	5	l_diversity	{"l": 2, "variant": "distinct"}	2	2	2.875	0	t	exact	2026-11-22 05:19:01.117414+00	postgres
6	0	6	k_anonymity	{"k": 4}	4	11	12.041666666666666	0	t	exact	2026-11-22 05:19:01.216004+00	postgres
6	1	6	l_diversity	{"l": 2, "variant": "distinct"}	2	3	3.875	0	t	exact	2026-11-22 05:19:01.216004+00	postgres
7	0	7	k_anonymity	{"k": 4}	4	9	9	0	t	exact	2026-11-22 05:19:01.281866+00	postgres
7	1	7	l_diversity	{"l": 2, "variant": "distinct"}	2	2	2	0	t	exact	2026-11-22 05:19:01.281866+00	postgres
8	0	8	k_anonymity	{"k": 4}	4	9	9	0	t	exact	2026-11-22 05:19:01.360765+00	upgrade_publisher
8	1	8	l_diversity	{"l": 2, "variant": "distinct"}	2	3	3	0	t	exact	2026-11-22 05:19:01.360765+00	upgrade_publisher
9	0	9	k_anonymity	{"k": 4}	4	9	9.136986301369863	0	t	exact	2026-11-22 05:19:01.44481+00	upgrade_publisher
9	1	9	l_diversity	{"l": 2, "variant": "distinct"}	2	3	3	0	t	exact	2026-11-22 05:19:01.44481+00	upgrade_publisher
10	0	2	k_anonymity	{"k": 3}	3	3	4.854166666666667	0	t	exact	2026-11-22 05:19:01.548154+00	postgres
10	1	2	bt_privacy	{"t": 0.4, "bandwidth": 0.3}	0.4	0.3857124217297052	0.14829347069271784	0	t	exact	2026-11-22 05:19:01.548154+00	postgres
11	0	8	k_anonymity	{"k": 9}	9	9	9	0	t	exact	2026-11-22 05:19:01.589301+00	upgrade_auditor
\.


--
-- Data for Name: dataset; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.dataset (name, owner, source_schema, source_name, quasi_identifiers, sensitive, respondent, period, registered_at) FROM stdin;
patients	postgres	ward	patient	{age,sex,city}	disease	\N	\N	2026-11-22 05:19:00.516095+00
cases	postgres	ward	case	{age,unit}	stage	\N	\N	2026-11-22 05:19:00.558134+00
people	upgrade_publisher	ward	person	{age}	unit	id	\N	2026-11-22 05:19:01.35418+00
\.


--
-- Data for Name: hierarchy; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.hierarchy (dataset, attribute, levels, widths, origin) FROM stdin;
patients	city	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	\N	\N
patients	age	\N	{10,20}	0
\.


--
-- Data for Name: policy; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.policy (name, owner, requirements, set_at) FROM stdin;
plain	postgres	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	2026-11-22 05:18:59.217492+00
beliefs	postgres	{"bt_privacy": [{"t": 0.4, "bandwidth": 0.3}], "k_anonymity": {"k": 3}}	2026-11-22 05:19:00.50787+00
\.


--
-- Data for Name: release; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release (release, dataset, owner, version, source_schema, source_name, view_schema, view_name, method, policy, requirements, options, period, records, suppressed, groups, created_at, created_by) FROM stdin;
1	patients	postgres	1	ward	patient	ward	patients	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	96	0	17	2026-11-22 05:19:00.569951+00	postgres
2	patients	postgres	2	ward	patient	ward	patients	mondrian	beliefs	{"bt_privacy": [{"t": 0.4, "bandwidth": 0.3}], "k_anonymity": {"k": 3}}	{}	\N	96	0	22	2026-11-22 05:19:00.67374+00	postgres
3	patients	postgres	3	ward	patient	ward	gone	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	96	0	17	2026-11-22 05:19:00.920034+00	postgres
4	patients	postgres	4	ward	patient	ward	buckets	bucketize	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	96	0	17	2026-11-22 05:19:01.021426+00	postgres
5	patients	postgres	5	ward	patient	ward	anatomy	anatomy	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	96	0	24	2026-11-22 05:19:01.117414+00	postgres
6	patients	postgres	6	ward	patient	ward	whole	incognito	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	96	0	8	2026-11-22 05:19:01.216004+00	postgres
7	cases	postgres	1	ward	case	ward	cases	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{"materialized": true}	\N	72	0	8	2026-11-22 05:19:01.281866+00	postgres
8	people	upgrade_publisher	1	ward	person	ward	people	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	72	0	8	2026-11-22 05:19:01.360765+00	upgrade_publisher
9	people	upgrade_publisher	2	ward	person	ward	fresh	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	73	0	8	2026-11-22 05:19:01.44481+00	upgrade_publisher
\.


--
-- Data for Name: release_attribute; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_attribute (release, place, attribute, labels, positions, levels, type, widths, origin, level) FROM stdin;
1	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	\N
1	1	sex	{f,m}	\N	\N	text	\N	\N	\N
1	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	\N
1	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N
2	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	\N
2	1	sex	{f,m}	\N	\N	text	\N	\N	\N
2	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	\N
2	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N
3	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	\N
3	1	sex	{f,m}	\N	\N	text	\N	\N	\N
3	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	\N
3	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N
4	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	\N
4	1	sex	{f,m}	\N	\N	text	\N	\N	\N
4	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	\N
4	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N
5	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	\N
5	1	sex	{f,m}	\N	\N	text	\N	\N	\N
5	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	\N
5	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N
6	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	1
6	1	sex	{f,m}	\N	\N	text	\N	\N	1
6	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	0
6	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N
7	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	\N	integer	\N	\N	\N
7	1	unit	{A,B,C,D}	\N	\N	text	\N	\N	\N
7	2	stage	{mild,grave}	\N	\N	ward.stage	\N	\N	\N
8	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	\N	integer	\N	\N	\N
8	1	unit	{A,B,E}	\N	\N	text	\N	\N	\N
9	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	\N	integer	\N	\N	\N
9	1	unit	{A,B,E}	\N	\N	text	\N	\N	\N
\.


--
-- Data for Name: release_content; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_content (release, codes, group_ids, cells, sensitive_codes, counts) FROM stdin;
1	{0,1,0,1,0,1,1,1,1,2,0,0,2,1,0,3,0,1,3,1,1,4,0,0,4,1,0,5,0,1,5,1,1,6,0,0,6,1,0,7,0,1,7,1,1,8,0,0,8,1,0,9,0,1,9,1,1,10,0,0,10,1,0,11,0,1,11,1,1,12,0,0,12,1,0,13,1,1,14,0,0,14,1,0,15,1,1,16,0,0,16,1,0,17,1,1,18,0,0,18,1,0,19,1,1,20,0,0,20,1,0,21,0,1,21,1,1,22,0,0,22,1,0,23,0,1,23,1,1,24,0,0,24,1,0,25,0,1,25,1,1,26,0,0,26,1,0,27,0,1,27,1,1,28,0,0,28,1,0,29,0,1,29,1,1,30,0,0,30,1,0,31,0,1,31,1,1,32,0,0,32,1,0,33,0,1,33,1,1,34,1,0,35,0,1,35,1,1,36,1,0,37,0,1,37,1,1,38,1,0,39,0,1,39,1,1}	{13,5,4,15,13,5,4,15,13,5,4,15,13,5,4,15,13,5,4,11,8,5,4,11,8,6,11,8,6,11,0,6,11,0,6,16,14,7,12,16,14,7,12,16,14,7,12,16,14,7,12,16,2,7,1,16,2,3,1,16,9,3,1,9,3,1,10,3,1,10,3,1}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,27,28,29,30,30,31,31,32,33,33,34,34,35,36,37,38,38,39,40,41,42,42,43,44,45,46,46,47,48,49,50,51,52,52,53,54,55,56,56,57,58,59,60,60,61,62,63,63,64,65,65,66,66,67,68,68,69,70,71}	{1,0,0,0,1,1,1,2,2,0,0,0,0,3,3,0,0,2,2,1,1,3,2,3,3,1,3,1,3,1,0,0,2,0,1,1,1,2,2,3,2,0,0,0,3,1,3,0,1,2,1,2,1,0,1,0,3,3,0,1,0,1,1,2,0,1,2,2,0,3,0,3,2,0,2,3,1,1,2,2,3,3,1,3,1,3,1}	{2,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,2,1,1,1,2,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1}
2	{0,1,0,1,0,1,1,1,1,2,0,0,2,1,0,3,0,1,3,1,1,4,0,0,4,1,0,5,0,1,5,1,1,6,0,0,6,1,0,7,0,1,7,1,1,8,0,0,8,1,0,9,0,1,9,1,1,10,0,0,10,1,0,11,0,1,11,1,1,12,0,0,12,1,0,13,1,1,14,0,0,14,1,0,15,1,1,16,0,0,16,1,0,17,1,1,18,0,0,18,1,0,19,1,1,20,0,0,20,1,0,21,0,1,21,1,1,22,0,0,22,1,0,23,0,1,23,1,1,24,0,0,24,1,0,25,0,1,25,1,1,26,0,0,26,1,0,27,0,1,27,1,1,28,0,0,28,1,0,29,0,1,29,1,1,30,0,0,30,1,0,31,0,1,31,1,1,32,0,0,32,1,0,33,0,1,33,1,1,34,1,0,35,0,1,35,1,1,36,1,0,37,0,1,37,1,1,38,1,0,39,0,1,39,1,1}	{3,8,17,13,3,8,17,13,4,8,17,13,4,6,17,13,4,6,17,15,5,6,17,15,5,7,15,5,7,15,1,7,15,1,7,20,21,10,16,20,21,10,16,20,21,10,9,19,21,10,9,19,11,10,2,19,11,12,2,19,18,12,2,18,12,14,0,12,14,0,12,14}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,27,28,29,30,30,31,31,32,33,33,34,34,35,36,37,38,38,39,40,41,42,42,43,44,45,46,46,47,48,49,50,51,52,52,53,54,55,56,56,57,58,59,60,60,61,62,63,63,64,65,65,66,66,67,68,68,69,70,71}	{1,0,0,0,1,1,1,2,2,0,0,0,0,3,3,0,0,2,2,1,1,3,2,3,3,1,3,1,3,1,0,0,2,0,1,1,1,2,2,3,2,0,0,0,3,1,3,0,1,2,1,2,1,0,1,0,3,3,0,1,0,1,1,2,0,1,2,2,0,3,0,3,2,0,2,3,1,1,2,2,3,3,1,3,1,3,1}	{2,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,2,1,1,1,2,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1}
3	{0,1,0,1,0,1,1,1,1,2,0,0,2,1,0,3,0,1,3,1,1,4,0,0,4,1,0,5,0,1,5,1,1,6,0,0,6,1,0,7,0,1,7,1,1,8,0,0,8,1,0,9,0,1,9,1,1,10,0,0,10,1,0,11,0,1,11,1,1,12,0,0,12,1,0,13,1,1,14,0,0,14,1,0,15,1,1,16,0,0,16,1,0,17,1,1,18,0,0,18,1,0,19,1,1,20,0,0,20,1,0,21,0,1,21,1,1,22,0,0,22,1,0,23,0,1,23,1,1,24,0,0,24,1,0,25,0,1,25,1,1,26,0,0,26,1,0,27,0,1,27,1,1,28,0,0,28,1,0,29,0,1,29,1,1,30,0,0,30,1,0,31,0,1,31,1,1,32,0,0,32,1,0,33,0,1,33,1,1,34,1,0,35,0,1,35,1,1,36,1,0,37,0,1,37,1,1,38,1,0,39,0,1,39,1,1}	{0,3,1,14,0,3,1,14,0,3,1,14,0,3,1,14,0,3,1,7,16,3,1,7,16,8,7,16,8,7,6,8,7,6,8,13,12,4,2,13,12,4,2,13,12,4,2,13,12,4,2,13,10,4,11,13,10,9,11,13,15,9,11,15,9,11,5,9,11,5,9,11}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,27,28,29,30,30,31,31,32,33,33,34,34,35,36,37,38,38,39,40,41,42,42,43,44,45,46,46,47,48,49,50,51,52,52,53,54,55,56,56,57,58,59,60,60,61,62,63,63,64,65,65,66,66,67,68,68,69,70,71}	{1,0,0,0,1,1,1,2,2,0,0,0,0,3,3,0,0,2,2,1,1,3,2,3,3,1,3,1,3,1,0,0,2,0,1,1,1,2,2,3,2,0,0,0,3,1,3,0,1,2,1,2,1,0,1,0,3,3,0,1,0,1,1,2,0,1,2,2,0,3,0,3,2,0,2,3,1,1,2,2,3,3,1,3,1,3,1}	{2,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,2,1,1,1,2,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1}
4	{0,1,0,1,0,1,1,1,1,2,0,0,2,1,0,3,0,1,3,1,1,4,0,0,4,1,0,5,0,1,5,1,1,6,0,0,6,1,0,7,0,1,7,1,1,8,0,0,8,1,0,9,0,1,9,1,1,10,0,0,10,1,0,11,0,1,11,1,1,12,0,0,12,1,0,13,1,1,14,0,0,14,1,0,15,1,1,16,0,0,16,1,0,17,1,1,18,0,0,18,1,0,19,1,1,20,0,0,20,1,0,21,0,1,21,1,1,22,0,0,22,1,0,23,0,1,23,1,1,24,0,0,24,1,0,25,0,1,25,1,1,26,0,0,26,1,0,27,0,1,27,1,1,28,0,0,28,1,0,29,0,1,29,1,1,30,0,0,30,1,0,31,0,1,31,1,1,32,0,0,32,1,0,33,0,1,33,1,1,34,1,0,35,0,1,35,1,1,36,1,0,37,0,1,37,1,1,38,1,0,39,0,1,39,1,1}	{7,9,0,13,7,9,0,13,7,9,0,13,7,9,0,13,7,9,0,11,10,9,0,11,10,3,11,10,3,11,2,3,11,2,3,4,5,16,1,4,5,16,1,4,5,16,1,4,5,16,1,4,14,16,6,4,14,12,6,4,8,12,6,8,12,6,15,12,6,15,12,6}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,27,28,29,30,30,31,31,32,33,33,34,34,35,36,37,38,38,39,40,41,42,42,43,44,45,46,46,47,48,49,50,51,52,52,53,54,55,56,56,57,58,59,60,60,61,62,63,63,64,65,65,66,66,67,68,68,69,70,71}	{1,0,0,0,1,1,1,2,2,0,0,0,0,3,3,0,0,2,2,1,1,3,2,3,3,1,3,1,3,1,0,0,2,0,1,1,1,2,2,3,2,0,0,0,3,1,3,0,1,2,1,2,1,0,1,0,3,3,0,1,0,1,1,2,0,1,2,2,0,3,0,3,2,0,2,3,1,1,2,2,3,3,1,3,1,3,1}	{2,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,2,1,1,1,2,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1}
5	{0,1,0,2,0,0,3,0,1,4,0,0,2,1,0,4,1,0,7,0,1,8,1,0,1,0,1,2,1,0,9,1,1,15,1,1,5,0,1,6,0,0,15,1,1,17,1,1,3,1,1,4,1,0,18,1,0,21,0,1,1,1,1,6,1,0,19,1,1,25,0,1,0,1,0,7,1,1,19,1,1,31,0,1,10,1,0,16,0,0,18,0,0,21,1,1,14,1,0,16,1,0,18,1,0,20,0,0,8,0,0,12,0,0,24,0,0,29,0,1,11,1,1,27,0,1,27,1,1,13,1,1,17,1,1,22,0,0,26,0,0,5,1,1,14,1,0,25,1,1,36,1,0,7,1,1,10,0,0,32,1,0,35,1,1,11,0,1,12,1,0,31,1,1,33,1,1,9,0,1,9,1,1,35,1,1,36,1,0,16,1,0,20,1,0,25,1,1,30,1,0,21,1,1,23,1,1,28,0,0,30,1,0,13,1,1,14,0,0,38,1,0,39,0,1,22,1,0,23,0,1,32,0,0,33,0,1,26,1,0,28,1,0,29,1,1,30,0,0,23,1,1,28,1,0,34,1,0,37,0,1,24,1,0,32,1,0,35,0,1,39,1,1,34,1,0,37,1,1,38,1,0}	{3,3,3,3,14,14,14,14,17,17,17,17,13,13,13,13,19,19,19,19,20,20,20,20,7,7,7,7,5,5,5,5,10,10,10,10,9,9,9,9,18,18,18,1,1,1,1,8,8,8,8,2,2,2,2,22,22,22,22,15,15,15,15,4,4,4,4,16,16,16,16,12,12,12,12,0,0,0,0,21,21,21,21,11,11,11,11,23,23,23,23,6,6,6}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72,73,74,75,76,77,78,79,80,81,82,83,84,85,86,87,88,89,90,91,92,92,93}	{1,0,1,2,1,2,3,0,0,1,2,1,0,0,1,1,1,2,1,0,0,0,3,1,1,3,2,2,1,0,1,3,3,0,2,2,0,3,1,1,2,3,0,1,0,1,0,0,1,0,2,3,1,0,2,3,3,0,0,2,2,1,3,2,0,1,1,0,2,1,2,1,3,1,3,3,0,3,2,3,0,2,0,1,1,2,3,2,3,1,1,3,1,3,1}	{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}
6	{0,1,0,1,0,1,1,1,1,2,0,0,2,1,0,3,0,1,3,1,1,4,0,0,4,1,0,5,0,1,5,1,1,6,0,0,6,1,0,7,0,1,7,1,1,8,0,0,8,1,0,9,0,1,9,1,1,10,0,0,10,1,0,11,0,1,11,1,1,12,0,0,12,1,0,13,1,1,14,0,0,14,1,0,15,1,1,16,0,0,16,1,0,17,1,1,18,0,0,18,1,0,19,1,1,20,0,0,20,1,0,21,0,1,21,1,1,22,0,0,22,1,0,23,0,1,23,1,1,24,0,0,24,1,0,25,0,1,25,1,1,26,0,0,26,1,0,27,0,1,27,1,1,28,0,0,28,1,0,29,0,1,29,1,1,30,0,0,30,1,0,31,0,1,31,1,1,32,0,0,32,1,0,33,0,1,33,1,1,34,1,0,35,0,1,35,1,1,36,1,0,37,0,1,37,1,1,38,1,0,39,0,1,39,1,1}	{4,1,1,4,4,1,1,4,4,1,1,4,4,1,1,4,4,1,1,5,5,7,7,5,5,7,5,5,7,5,5,7,5,5,7,0,0,2,2,0,0,2,2,0,0,2,2,0,0,2,2,0,0,2,2,6,6,3,3,6,6,3,3,6,3,3,6,3,3,6,3,3}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,27,28,29,30,30,31,31,32,33,33,34,34,35,36,37,38,38,39,40,41,42,42,43,44,45,46,46,47,48,49,50,51,52,52,53,54,55,56,56,57,58,59,60,60,61,62,63,63,64,65,65,66,66,67,68,68,69,70,71}	{1,0,0,0,1,1,1,2,2,0,0,0,0,3,3,0,0,2,2,1,1,3,2,3,3,1,3,1,3,1,0,0,2,0,1,1,1,2,2,3,2,0,0,0,3,1,3,0,1,2,1,2,1,0,1,0,3,3,0,1,0,1,1,2,0,1,2,2,0,3,0,3,2,0,2,3,1,1,2,2,3,3,1,3,1,3,1}	{2,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,2,1,1,1,2,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1}
7	{0,0,1,1,2,2,3,3,4,0,5,1,6,2,7,3,8,0,9,1,10,2,11,3,12,0,13,1,14,2,15,3,16,0,17,1,18,2,19,3,20,0,21,1,22,2,23,3}	{7,4,5,6,7,4,5,6,7,4,5,6,1,0,3,2,1,0,3,2,1,0,3,2}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23}	{0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1}	{3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3}
8	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23}	{3,3,3,2,2,2,0,0,0,1,1,1,5,5,5,4,4,4,6,6,6,7,7,7}	{0,0,1,1,2,2,2,3,3,4,4,5,5,5,6,6,7,7,7,8,8,9,9,10,10,10,11,11,12,12,12,13,13,14,14,15,15,15,16,16,17,17,17,18,18,19,19,20,20,20,21,21,22,22,22,23,23}	{1,2,0,1,0,1,2,1,2,1,2,0,1,2,0,1,0,1,2,1,2,1,2,0,1,2,0,1,0,1,2,1,2,1,2,0,1,2,0,1,0,1,2,1,2,1,2,0,1,2,0,1,0,1,2,1,2}	{1,2,1,2,1,1,1,1,2,1,2,1,1,1,1,2,1,1,1,1,2,1,2,1,1,1,1,2,1,1,1,1,2,1,2,1,1,1,1,2,1,1,1,1,2,1,2,1,1,1,1,2,1,1,1,1,2}
9	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23}	{0,0,0,4,4,4,1,1,1,5,5,5,7,7,7,3,3,3,2,2,2,6,6,6}	{0,0,1,1,2,2,2,3,3,4,4,5,5,5,6,6,7,7,7,8,8,9,9,10,10,10,11,11,12,12,12,13,13,14,14,15,15,15,16,16,17,17,17,18,18,19,19,20,20,20,21,21,22,22,22,23,23}	{1,2,0,1,0,1,2,1,2,1,2,0,1,2,0,1,0,1,2,1,2,1,2,0,1,2,0,1,0,1,2,1,2,1,2,0,1,2,0,1,0,1,2,1,2,1,2,0,1,2,0,1,0,1,2,1,2}	{1,2,1,2,1,1,1,1,2,1,2,1,1,1,1,2,1,1,1,1,2,1,2,2,1,1,1,2,1,1,1,1,2,1,2,1,1,1,1,2,1,1,1,1,2,1,2,1,1,1,1,2,1,1,1,1,2}
\.


--
-- Data for Name: release_event; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_event (event, release, kind, reason, at, by) FROM stdin;
1	1	superseded	release 2 took its place in ward.patients	2026-11-22 05:19:00.67374+00	postgres
2	3	withdrawn	a patient objected	2026-11-22 05:19:00.998558+00	postgres
3	8	stale	INSERT on ward.person	2026-11-22 05:19:01.432892+00	postgres
\.


--
-- Data for Name: release_respondent; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_respondent (release, respondents, group_ids) FROM stdin;
8	{1,10,11,12,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,28,29,3,30,31,32,33,34,35,36,37,38,39,4,40,41,42,43,44,45,46,47,48,49,5,50,51,52,53,54,55,56,57,58,59,6,60,61,62,63,64,65,66,67,68,69,7,70,71,72,8,9}	{3,1,1,5,5,5,4,4,4,6,6,3,6,7,7,7,3,3,3,2,2,2,2,0,0,0,1,1,1,5,5,5,4,2,4,4,6,6,6,7,7,7,3,3,2,3,2,2,2,0,0,0,1,1,1,0,5,5,5,4,4,4,6,6,6,7,0,7,7,3,0,1}
9	{1,10,11,12,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,28,29,3,30,31,32,33,34,35,36,37,38,39,4,40,41,42,43,44,45,46,47,48,49,5,50,51,52,53,54,55,56,57,58,59,6,60,61,62,63,64,65,66,67,68,69,7,70,71,72,73,8,9}	{0,5,5,7,7,7,3,3,3,2,2,0,2,6,6,6,0,0,0,4,4,4,4,1,1,1,5,5,5,7,7,7,3,4,3,3,2,2,2,6,6,6,0,0,4,0,4,4,4,1,1,1,5,5,5,1,7,7,7,3,3,3,2,2,2,6,1,6,6,0,5,1,5}
\.


--
-- Data for Name: release_1; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_1 (age, sex, city, disease) FROM stdin;
[56,59)	m	Aln	flu
[41,48)	m	Brix	fracture
[40,47)	m	Aln	asthma
[22,29)	f	Aln	fracture
[36,39)	m	Aln	fracture
[40,47)	m	Aln	ulcer
[52,55)	m	Aln	ulcer
[36,39)	m	Aln	fracture
[20,29)	m	Aln	flu
[21,32)	m	Brix	flu
[40,53)	f	Aln	flu
[30,39)	f	Aln	asthma
[21,32)	m	Brix	ulcer
[48,51)	m	Aln	asthma
[40,53)	f	Aln	asthma
[21,32)	f	Brix	asthma
[49,60)	m	Brix	asthma
[52,55)	m	Aln	fracture
[36,39)	m	Aln	asthma
[51,60)	f	Brix	ulcer
[48,51)	m	Aln	flu
[33,40)	m	Brix	flu
[49,60)	m	Brix	flu
[41,50)	f	Brix	flu
[49,60)	m	Brix	fracture
[20,29)	m	Aln	asthma
[40,53)	f	Aln	flu
[41,48)	m	Brix	flu
[33,40)	m	Brix	flu
[49,60)	m	Brix	ulcer
[40,53)	f	Aln	flu
[48,51)	m	Aln	flu
[33,40)	m	Brix	fracture
[30,39)	f	Aln	flu
[40,53)	f	Aln	ulcer
[22,29)	f	Aln	asthma
[52,55)	m	Aln	ulcer
[21,32)	f	Brix	ulcer
[41,50)	f	Brix	ulcer
[41,50)	f	Brix	flu
[49,60)	m	Brix	asthma
[30,39)	f	Aln	ulcer
[48,51)	m	Aln	fracture
[21,32)	f	Brix	fracture
[21,32)	m	Brix	fracture
[40,47)	m	Aln	fracture
[51,60)	f	Brix	flu
[30,39)	f	Aln	ulcer
[21,32)	m	Brix	fracture
[30,35)	m	Aln	flu
[21,32)	m	Brix	fracture
[52,55)	m	Aln	asthma
[41,48)	m	Brix	asthma
[56,59)	m	Aln	ulcer
[49,60)	m	Brix	fracture
[20,29)	m	Aln	fracture
[51,60)	f	Brix	fracture
[51,60)	f	Brix	fracture
[41,50)	f	Brix	asthma
[40,47)	m	Aln	ulcer
[33,40)	m	Brix	ulcer
[20,29)	m	Aln	flu
[21,32)	m	Brix	ulcer
[33,40)	m	Brix	asthma
[49,60)	m	Brix	flu
[20,29)	m	Aln	asthma
[30,39)	f	Aln	flu
[41,48)	m	Brix	ulcer
[56,59)	m	Aln	flu
[21,32)	f	Brix	flu
[22,29)	f	Aln	asthma
[41,50)	f	Brix	asthma
[20,29)	m	Aln	flu
[33,40)	m	Brix	flu
[21,32)	f	Brix	asthma
[21,32)	m	Brix	fracture
[30,35)	m	Aln	ulcer
[33,40)	m	Brix	flu
[51,60)	f	Brix	ulcer
[30,35)	m	Aln	flu
[40,53)	f	Aln	fracture
[21,32)	f	Brix	ulcer
[41,48)	m	Brix	asthma
[41,48)	m	Brix	asthma
[33,40)	m	Brix	flu
[49,60)	m	Brix	flu
[30,35)	m	Aln	ulcer
[21,32)	m	Brix	asthma
[20,29)	m	Aln	flu
[22,29)	f	Aln	asthma
[21,32)	m	Brix	asthma
[56,59)	m	Aln	fracture
[36,39)	m	Aln	flu
[41,48)	m	Brix	flu
[40,53)	f	Aln	asthma
[20,29)	m	Aln	fracture
\.


--
-- Data for Name: release_2; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_2 (age, sex, city, disease) FROM stdin;
[45,48)	m	Brix	flu
[30,39)	f	Aln	ulcer
[51,60)	f	Brix	fracture
[30,35)	m	Aln	flu
[55,60)	m	Brix	ulcer
[41,44)	m	Brix	asthma
[33,40)	m	Brix	fracture
[52,55)	m	Aln	asthma
[33,40)	m	Brix	flu
[41,50)	f	Brix	flu
[33,40)	m	Brix	flu
[55,60)	m	Brix	fracture
[55,60)	m	Brix	flu
[45,48)	m	Brix	asthma
[56,59)	m	Aln	fracture
[20,23)	m	Aln	flu
[46,53)	f	Aln	ulcer
[55,60)	m	Brix	flu
[51,60)	f	Brix	flu
[22,29)	f	Aln	asthma
[40,47)	m	Aln	asthma
[36,39)	m	Aln	fracture
[52,55)	m	Aln	ulcer
[41,50)	f	Brix	asthma
[41,50)	f	Brix	asthma
[40,47)	m	Aln	ulcer
[30,39)	f	Aln	flu
[40,45)	f	Aln	fracture
[40,45)	f	Aln	flu
[30,35)	m	Aln	ulcer
[56,59)	m	Aln	flu
[49,54)	m	Brix	asthma
[52,55)	m	Aln	ulcer
[24,29)	m	Aln	asthma
[21,32)	m	Brix	asthma
[40,47)	m	Aln	fracture
[27,32)	f	Brix	ulcer
[33,40)	m	Brix	flu
[41,44)	m	Brix	flu
[20,23)	m	Aln	flu
[41,44)	m	Brix	fracture
[33,40)	m	Brix	flu
[49,54)	m	Brix	fracture
[48,51)	m	Aln	asthma
[46,53)	f	Aln	asthma
[51,60)	f	Brix	ulcer
[21,26)	f	Brix	asthma
[40,47)	m	Aln	ulcer
[41,44)	m	Brix	ulcer
[20,23)	m	Aln	flu
[36,39)	m	Aln	fracture
[55,60)	m	Brix	flu
[21,32)	m	Brix	fracture
[30,35)	m	Aln	flu
[51,60)	f	Brix	fracture
[49,54)	m	Brix	asthma
[30,39)	f	Aln	flu
[20,23)	m	Aln	flu
[22,29)	f	Aln	asthma
[46,53)	f	Aln	asthma
[30,35)	m	Aln	ulcer
[27,32)	f	Brix	ulcer
[56,59)	m	Aln	flu
[40,45)	f	Aln	flu
[48,51)	m	Aln	flu
[48,51)	m	Aln	flu
[21,26)	f	Brix	flu
[22,29)	f	Aln	fracture
[22,29)	f	Aln	asthma
[21,32)	m	Brix	fracture
[41,50)	f	Brix	ulcer
[21,32)	m	Brix	fracture
[46,53)	f	Aln	flu
[30,39)	f	Aln	ulcer
[33,40)	m	Brix	flu
[33,40)	m	Brix	ulcer
[21,32)	m	Brix	fracture
[33,40)	m	Brix	asthma
[21,32)	m	Brix	flu
[21,26)	f	Brix	asthma
[51,60)	f	Brix	ulcer
[21,32)	m	Brix	ulcer
[56,59)	m	Aln	ulcer
[30,39)	f	Aln	asthma
[24,29)	m	Aln	fracture
[52,55)	m	Aln	fracture
[24,29)	m	Aln	fracture
[36,39)	m	Aln	flu
[21,32)	m	Brix	asthma
[48,51)	m	Aln	fracture
[21,32)	m	Brix	ulcer
[45,48)	m	Brix	asthma
[24,29)	m	Aln	asthma
[41,50)	f	Brix	flu
[27,32)	f	Brix	fracture
[36,39)	m	Aln	asthma
\.


--
-- Data for Name: release_4; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_4 (age, sex, city, group_id, disease) FROM stdin;
36	m	Aln	2	asthma
48	m	Aln	14	flu
52	m	Aln	8	fracture
57	m	Brix	6	flu
42	m	Aln	5	fracture
29	f	Brix	9	asthma
53	m	Brix	6	fracture
20	m	Aln	7	fracture
57	m	Brix	6	asthma
55	m	Brix	6	flu
41	m	Brix	1	asthma
38	f	Aln	11	flu
50	m	Aln	14	fracture
28	f	Aln	13	asthma
45	f	Brix	16	asthma
54	m	Aln	8	asthma
22	m	Aln	7	flu
34	m	Aln	10	flu
50	f	Aln	4	asthma
28	m	Aln	7	flu
39	m	Brix	3	flu
43	m	Brix	1	ulcer
59	f	Brix	12	fracture
46	m	Aln	5	ulcer
23	f	Brix	9	ulcer
26	m	Aln	7	flu
32	f	Aln	11	ulcer
40	m	Aln	5	asthma
35	m	Brix	3	ulcer
38	m	Aln	2	fracture
45	m	Brix	1	asthma
27	m	Brix	0	fracture
40	f	Aln	4	ulcer
52	m	Aln	8	ulcer
55	f	Brix	12	fracture
31	f	Brix	9	asthma
30	f	Aln	11	asthma
31	m	Brix	0	fracture
25	m	Brix	0	asthma
45	m	Brix	1	flu
25	f	Brix	9	ulcer
46	f	Aln	4	asthma
58	m	Aln	15	flu
32	m	Aln	10	ulcer
41	f	Brix	16	flu
49	m	Brix	6	ulcer
51	f	Brix	12	flu
38	m	Aln	2	flu
47	f	Brix	16	asthma
44	m	Aln	5	ulcer
37	m	Brix	3	flu
54	m	Aln	8	ulcer
33	m	Brix	3	asthma
22	m	Aln	7	asthma
36	m	Aln	2	fracture
53	f	Brix	12	ulcer
42	f	Aln	4	flu
47	m	Brix	1	fracture
21	m	Brix	0	fracture
29	m	Brix	0	flu
23	m	Brix	0	fracture
55	m	Brix	6	asthma
24	m	Aln	7	flu
24	m	Aln	7	asthma
58	m	Aln	15	ulcer
39	m	Brix	3	flu
27	m	Brix	0	asthma
24	f	Aln	13	fracture
30	m	Aln	10	flu
36	f	Aln	11	flu
48	m	Aln	14	flu
56	m	Aln	15	flu
49	f	Brix	16	flu
37	m	Brix	3	fracture
48	f	Aln	4	fracture
22	f	Aln	13	asthma
43	f	Brix	16	ulcer
56	m	Aln	15	fracture
29	m	Brix	0	ulcer
27	f	Brix	9	flu
51	m	Brix	6	flu
50	m	Aln	14	asthma
31	m	Brix	0	ulcer
44	f	Aln	4	flu
33	m	Brix	3	flu
35	m	Brix	3	flu
57	f	Brix	12	ulcer
43	m	Brix	1	flu
41	m	Brix	1	asthma
21	f	Brix	9	fracture
59	m	Brix	6	fracture
34	m	Aln	10	ulcer
52	f	Aln	4	flu
26	f	Aln	13	asthma
20	m	Aln	7	fracture
34	f	Aln	11	ulcer
\.


--
-- Data for Name: release_4_sensitive; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_4_sensitive (group_id, disease, count) FROM stdin;
13	asthma	3
9	flu	1
8	fracture	1
0	ulcer	2
5	asthma	1
16	ulcer	1
8	asthma	1
10	ulcer	2
11	asthma	1
15	fracture	1
13	fracture	1
7	flu	4
9	fracture	1
0	flu	1
7	fracture	2
4	ulcer	1
11	ulcer	2
4	flu	3
4	fracture	1
6	flu	3
8	ulcer	2
3	asthma	1
4	asthma	2
9	ulcer	2
5	fracture	1
12	ulcer	2
7	asthma	2
12	fracture	2
3	ulcer	1
2	flu	1
0	fracture	4
6	asthma	2
10	flu	2
2	fracture	2
1	flu	2
9	asthma	2
0	asthma	2
3	fracture	1
1	ulcer	1
5	ulcer	2
11	flu	2
3	flu	5
6	ulcer	1
15	flu	2
16	asthma	2
12	flu	1
2	asthma	1
14	flu	2
6	fracture	2
1	fracture	1
1	asthma	3
14	fracture	1
15	ulcer	1
16	flu	2
14	asthma	1
\.


--
-- Data for Name: release_5; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_5 (age, sex, city, group_id) FROM stdin;
26	f	Aln	13
23	m	Brix	19
43	m	Brix	11
53	m	Brix	22
49	m	Brix	21
35	m	Brix	17
58	m	Aln	12
43	m	Brix	16
57	f	Brix	11
48	f	Aln	16
36	f	Aln	5
28	m	Aln	14
54	m	Aln	6
24	m	Aln	19
41	m	Brix	16
30	m	Aln	5
41	m	Brix	5
49	f	Brix	9
51	m	Brix	22
32	m	Aln	22
30	f	Aln	2
22	f	Aln	3
50	m	Aln	16
58	m	Aln	6
23	f	Brix	3
44	f	Aln	9
41	f	Brix	19
31	m	Brix	18
29	m	Brix	15
37	m	Brix	1
59	f	Brix	12
34	m	Aln	8
44	m	Aln	23
27	m	Brix	2
53	f	Brix	0
37	m	Brix	13
33	m	Brix	1
36	m	Aln	4
21	f	Brix	17
55	m	Brix	15
43	f	Brix	0
50	f	Aln	21
56	m	Aln	15
47	m	Brix	18
47	f	Brix	18
40	f	Aln	10
45	m	Brix	8
22	m	Aln	14
31	f	Brix	22
38	m	Aln	10
24	f	Aln	3
20	m	Aln	7
33	m	Brix	12
26	m	Aln	20
20	m	Aln	3
29	m	Brix	17
38	m	Aln	19
27	f	Brix	14
52	f	Aln	0
42	m	Aln	0
39	m	Brix	20
59	m	Brix	23
25	m	Brix	8
34	f	Aln	12
40	m	Aln	4
57	m	Brix	6
48	m	Aln	11
45	f	Brix	20
22	m	Aln	17
32	f	Aln	9
51	f	Brix	7
48	m	Aln	21
31	m	Brix	18
34	m	Aln	10
55	m	Brix	2
55	f	Brix	23
24	m	Aln	14
57	m	Brix	6
52	m	Aln	2
50	m	Aln	4
21	m	Brix	20
54	m	Aln	11
39	m	Brix	7
36	m	Aln	10
46	m	Aln	21
27	m	Brix	7
38	f	Aln	5
25	f	Brix	13
45	m	Brix	4
42	f	Aln	1
52	m	Aln	23
29	f	Brix	15
56	m	Aln	8
35	m	Brix	13
28	f	Aln	9
46	f	Aln	1
\.


--
-- Data for Name: release_5_sensitive; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_5_sensitive (group_id, disease, count) FROM stdin;
14	ulcer	1
0	fracture	1
19	flu	2
2	flu	1
13	asthma	2
16	fracture	2
20	asthma	2
4	fracture	1
15	ulcer	1
22	asthma	2
6	ulcer	2
0	ulcer	2
4	flu	2
20	flu	1
23	flu	2
9	ulcer	1
10	asthma	1
22	ulcer	2
5	flu	2
12	ulcer	2
3	asthma	1
9	flu	2
3	fracture	1
8	flu	1
4	asthma	1
2	asthma	1
8	fracture	1
12	flu	2
2	fracture	1
21	asthma	2
21	ulcer	1
18	asthma	1
23	fracture	1
17	fracture	1
6	flu	2
1	asthma	2
14	asthma	1
9	asthma	1
17	flu	2
11	fracture	1
0	asthma	1
19	asthma	1
3	flu	2
13	flu	2
20	ulcer	1
23	ulcer	1
10	fracture	2
2	ulcer	1
19	fracture	1
18	ulcer	1
1	flu	2
7	fracture	2
5	ulcer	1
7	flu	1
16	flu	1
11	flu	2
14	fracture	1
16	asthma	1
15	fracture	2
11	ulcer	1
15	flu	1
7	ulcer	1
8	asthma	2
17	asthma	1
18	fracture	2
14	flu	1
10	ulcer	1
5	asthma	1
21	fracture	1
\.


--
-- Data for Name: release_6; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_6 (age, sex, city, disease) FROM stdin;
[50,60)	*	Aln	flu
[30,40)	*	Aln	flu
[20,30)	*	Aln	flu
[30,40)	*	Aln	flu
[50,60)	*	Brix	ulcer
[30,40)	*	Brix	flu
[50,60)	*	Aln	flu
[30,40)	*	Aln	ulcer
[20,30)	*	Aln	fracture
[30,40)	*	Brix	flu
[50,60)	*	Aln	asthma
[50,60)	*	Aln	fracture
[20,30)	*	Aln	fracture
[40,50)	*	Aln	flu
[30,40)	*	Aln	asthma
[30,40)	*	Brix	ulcer
[20,30)	*	Aln	asthma
[30,40)	*	Brix	flu
[50,60)	*	Aln	flu
[50,60)	*	Brix	flu
[20,30)	*	Aln	flu
[30,40)	*	Aln	fracture
[50,60)	*	Brix	asthma
[20,30)	*	Brix	asthma
[40,50)	*	Aln	ulcer
[30,40)	*	Aln	ulcer
[40,50)	*	Brix	flu
[20,30)	*	Brix	ulcer
[40,50)	*	Aln	asthma
[40,50)	*	Brix	fracture
[50,60)	*	Brix	ulcer
[20,30)	*	Aln	asthma
[20,30)	*	Brix	flu
[40,50)	*	Brix	flu
[40,50)	*	Aln	fracture
[20,30)	*	Brix	flu
[50,60)	*	Aln	fracture
[30,40)	*	Aln	ulcer
[40,50)	*	Aln	flu
[40,50)	*	Aln	fracture
[40,50)	*	Brix	ulcer
[20,30)	*	Brix	ulcer
[40,50)	*	Brix	asthma
[30,40)	*	Aln	ulcer
[20,30)	*	Brix	asthma
[40,50)	*	Brix	flu
[20,30)	*	Aln	asthma
[20,30)	*	Aln	asthma
[40,50)	*	Brix	asthma
[20,30)	*	Aln	flu
[50,60)	*	Brix	asthma
[40,50)	*	Brix	flu
[30,40)	*	Brix	fracture
[50,60)	*	Brix	flu
[50,60)	*	Aln	asthma
[30,40)	*	Brix	ulcer
[40,50)	*	Aln	asthma
[20,30)	*	Brix	fracture
[20,30)	*	Aln	asthma
[40,50)	*	Brix	asthma
[30,40)	*	Brix	fracture
[40,50)	*	Aln	ulcer
[50,60)	*	Aln	ulcer
[30,40)	*	Brix	flu
[20,30)	*	Brix	asthma
[50,60)	*	Aln	ulcer
[50,60)	*	Brix	fracture
[20,30)	*	Brix	asthma
[50,60)	*	Aln	ulcer
[40,50)	*	Aln	flu
[20,30)	*	Aln	fracture
[40,50)	*	Brix	asthma
[30,40)	*	Aln	flu
[30,40)	*	Brix	flu
[50,60)	*	Brix	fracture
[50,60)	*	Brix	fracture
[20,30)	*	Brix	ulcer
[30,40)	*	Aln	flu
[50,60)	*	Brix	flu
[50,60)	*	Aln	fracture
[20,30)	*	Aln	flu
[50,60)	*	Brix	ulcer
[40,50)	*	Brix	asthma
[20,30)	*	Brix	fracture
[40,50)	*	Brix	fracture
[20,30)	*	Brix	fracture
[40,50)	*	Brix	ulcer
[30,40)	*	Aln	flu
[50,60)	*	Brix	flu
[40,50)	*	Aln	asthma
[30,40)	*	Brix	asthma
[30,40)	*	Aln	fracture
[40,50)	*	Aln	flu
[30,40)	*	Aln	asthma
[50,60)	*	Aln	ulcer
[30,40)	*	Brix	fracture
\.


--
-- Data for Name: release_7; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_7 (age, unit, stage) FROM stdin;
[22,31)	C	grave
[34,43)	C	grave
[33,42)	B	grave
[32,41)	A	mild
[35,44)	D	grave
[33,42)	B	mild
[23,32)	D	grave
[20,29)	A	grave
[34,43)	C	mild
[23,32)	D	grave
[33,42)	B	grave
[23,32)	D	mild
[32,41)	A	mild
[35,44)	D	mild
[23,32)	D	grave
[23,32)	D	grave
[32,41)	A	grave
[22,31)	C	grave
[20,29)	A	mild
[33,42)	B	mild
[32,41)	A	grave
[20,29)	A	grave
[22,31)	C	mild
[22,31)	C	grave
[32,41)	A	grave
[32,41)	A	grave
[22,31)	C	grave
[33,42)	B	grave
[21,30)	B	mild
[35,44)	D	grave
[20,29)	A	mild
[34,43)	C	mild
[33,42)	B	grave
[33,42)	B	mild
[20,29)	A	grave
[35,44)	D	grave
[21,30)	B	grave
[32,41)	A	grave
[35,44)	D	grave
[34,43)	C	grave
[34,43)	C	grave
[22,31)	C	mild
[22,31)	C	mild
[22,31)	C	grave
[33,42)	B	grave
[35,44)	D	grave
[23,32)	D	grave
[34,43)	C	mild
[32,41)	A	mild
[21,30)	B	mild
[34,43)	C	grave
[21,30)	B	grave
[21,30)	B	mild
[23,32)	D	grave
[21,30)	B	grave
[20,29)	A	mild
[35,44)	D	mild
[20,29)	A	grave
[20,29)	A	grave
[35,44)	D	grave
[34,43)	C	grave
[22,31)	C	grave
[34,43)	C	grave
[21,30)	B	grave
[33,42)	B	grave
[21,30)	B	grave
[23,32)	D	mild
[32,41)	A	grave
[20,29)	A	grave
[35,44)	D	mild
[23,32)	D	mild
[21,30)	B	grave
\.


--
-- Data for Name: release_8; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_8 (age, unit) FROM stdin;
[29,32)	B
[20,23)	E
[20,23)	B
[32,35)	E
[29,32)	E
[38,41)	E
[41,44)	E
[23,26)	B
[38,41)	E
[35,38)	A
[38,41)	E
[26,29)	B
[41,44)	B
[23,26)	A
[32,35)	B
[29,32)	E
[38,41)	B
[23,26)	E
[32,35)	E
[20,23)	B
[26,29)	E
[41,44)	B
[20,23)	E
[32,35)	E
[35,38)	B
[41,44)	A
[35,38)	A
[35,38)	B
[23,26)	E
[29,32)	E
[26,29)	A
[29,32)	A
[35,38)	B
[23,26)	E
[20,23)	B
[41,44)	B
[29,32)	A
[23,26)	B
[29,32)	B
[38,41)	B
[35,38)	B
[20,23)	B
[20,23)	A
[23,26)	B
[41,44)	B
[23,26)	E
[32,35)	A
[38,41)	A
[38,41)	B
[20,23)	A
[32,35)	B
[20,23)	E
[26,29)	E
[32,35)	E
[26,29)	A
[41,44)	E
[41,44)	A
[32,35)	E
[41,44)	E
[26,29)	B
[29,32)	B
[23,26)	E
[38,41)	E
[26,29)	B
[38,41)	E
[35,38)	E
[26,29)	E
[35,38)	A
[32,35)	B
[26,29)	B
[29,32)	B
[35,38)	E
\.


--
-- Data for Name: release_9; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_9 (age, unit) FROM stdin;
[41,44)	E
[32,35)	A
[32,35)	B
[20,23)	B
[26,29)	E
[29,32)	B
[41,44)	E
[35,38)	A
[20,23)	B
[23,26)	E
[26,29)	A
[26,29)	B
[35,38)	E
[38,41)	B
[20,23)	E
[20,23)	B
[23,26)	E
[29,32)	B
[32,35)	E
[29,32)	B
[23,26)	A
[20,23)	A
[38,41)	E
[26,29)	B
[20,23)	A
[23,26)	E
[41,44)	A
[41,44)	B
[35,38)	B
[35,38)	A
[41,44)	B
[32,35)	B
[29,32)	E
[23,26)	E
[23,26)	B
[23,26)	B
[20,23)	E
[26,29)	B
[32,35)	E
[29,32)	B
[38,41)	B
[23,26)	B
[26,29)	E
[23,26)	E
[35,38)	B
[20,23)	B
[38,41)	E
[38,41)	E
[35,38)	B
[29,32)	E
[38,41)	E
[26,29)	E
[41,44)	E
[41,44)	B
[32,35)	E
[32,35)	E
[29,32)	A
[38,41)	E
[20,23)	E
[38,41)	B
[29,32)	A
[41,44)	B
[26,29)	B
[35,38)	A
[35,38)	E
[26,29)	A
[29,32)	E
[35,38)	B
[32,35)	B
[38,41)	A
[41,44)	A
[32,35)	E
[29,32)	A
\.


--
-- Data for Name: case; Type: TABLE DATA; Schema: ward; Owner: postgres
--

COPY ward."case" (age, stage, unit) FROM stdin;
21	grave	B
22	grave	C
23	mild	D
24	grave	A
25	grave	B
26	mild	C
27	grave	D
28	grave	A
29	mild	B
30	grave	C
31	grave	D
32	mild	A
33	grave	B
34	grave	C
35	mild	D
36	grave	A
37	grave	B
38	mild	C
39	grave	D
40	grave	A
41	mild	B
42	grave	C
43	grave	D
20	mild	A
21	grave	B
22	grave	C
23	mild	D
24	grave	A
25	grave	B
26	mild	C
27	grave	D
28	grave	A
29	mild	B
30	grave	C
31	grave	D
32	mild	A
33	grave	B
34	grave	C
35	mild	D
36	grave	A
37	grave	B
38	mild	C
39	grave	D
40	grave	A
41	mild	B
42	grave	C
43	grave	D
20	mild	A
21	grave	B
22	grave	C
23	mild	D
24	grave	A
25	grave	B
26	mild	C
27	grave	D
28	grave	A
29	mild	B
30	grave	C
31	grave	D
32	mild	A
33	grave	B
34	grave	C
35	mild	D
36	grave	A
37	grave	B
38	mild	C
39	grave	D
40	grave	A
41	mild	B
42	grave	C
43	grave	D
20	mild	A
\.


--
-- Data for Name: city; Type: TABLE DATA; Schema: ward; Owner: postgres
--

COPY ward.city (city, region, root) FROM stdin;
Aln	north	*
Brix	north	*
Corve	south	*
Dunn	south	*
\.


--
-- Data for Name: patient; Type: TABLE DATA; Schema: ward; Owner: postgres
--

COPY ward.patient (age, sex, city, disease) FROM stdin;
27	m	Brix	ulcer
34	m	Aln	ulcer
41	f	Brix	asthma
48	m	Aln	flu
55	m	Brix	fracture
22	f	Aln	asthma
29	m	Brix	fracture
36	m	Aln	asthma
43	f	Brix	asthma
50	m	Aln	flu
57	m	Brix	flu
24	f	Aln	fracture
31	m	Brix	fracture
38	m	Aln	flu
45	f	Brix	flu
52	m	Aln	asthma
59	m	Brix	flu
26	f	Aln	asthma
33	m	Brix	flu
40	m	Aln	asthma
47	f	Brix	ulcer
54	m	Aln	ulcer
21	m	Brix	asthma
28	f	Aln	asthma
35	m	Brix	flu
42	m	Aln	ulcer
49	f	Brix	flu
56	m	Aln	ulcer
23	m	Brix	flu
30	f	Aln	flu
37	m	Brix	flu
44	m	Aln	fracture
51	f	Brix	fracture
58	m	Aln	flu
25	m	Brix	asthma
32	f	Aln	ulcer
39	m	Brix	fracture
46	m	Aln	ulcer
53	f	Brix	fracture
20	m	Aln	flu
27	m	Brix	ulcer
34	f	Aln	ulcer
41	m	Brix	asthma
48	m	Aln	asthma
55	f	Brix	flu
22	m	Aln	flu
29	m	Brix	fracture
36	f	Aln	asthma
43	m	Brix	fracture
50	m	Aln	fracture
57	f	Brix	ulcer
24	m	Aln	fracture
31	m	Brix	fracture
38	f	Aln	flu
45	m	Brix	asthma
52	m	Aln	ulcer
59	f	Brix	ulcer
26	m	Aln	asthma
33	m	Brix	flu
40	f	Aln	fracture
47	m	Brix	asthma
54	m	Aln	fracture
21	f	Brix	asthma
28	m	Aln	asthma
35	m	Brix	flu
42	f	Aln	flu
49	m	Brix	fracture
56	m	Aln	fracture
23	f	Brix	flu
30	m	Aln	flu
37	m	Brix	asthma
44	f	Aln	flu
51	m	Brix	asthma
58	m	Aln	flu
25	f	Brix	asthma
32	m	Aln	ulcer
39	m	Brix	ulcer
46	f	Aln	asthma
53	m	Brix	asthma
20	m	Aln	flu
27	f	Brix	ulcer
34	m	Aln	flu
41	m	Brix	ulcer
48	f	Aln	flu
55	m	Brix	flu
22	m	Aln	flu
29	f	Brix	fracture
36	m	Aln	fracture
43	m	Brix	flu
50	f	Aln	asthma
57	m	Brix	ulcer
24	m	Aln	fracture
31	f	Brix	ulcer
38	m	Aln	fracture
45	m	Brix	flu
52	f	Aln	ulcer
\.


--
-- Data for Name: person; Type: TABLE DATA; Schema: ward; Owner: postgres
--

COPY ward.person (id, age, unit) FROM stdin;
1	21	B
2	22	E
3	23	E
4	24	B
5	25	A
6	26	B
7	27	E
8	28	E
9	29	B
10	30	A
11	31	B
12	32	E
13	33	E
14	34	B
15	35	A
16	36	B
17	37	E
18	38	E
19	39	B
20	40	A
21	41	B
22	42	E
23	43	E
24	20	B
25	21	A
26	22	B
27	23	E
28	24	E
29	25	B
30	26	A
31	27	B
32	28	E
33	29	E
34	30	B
35	31	A
36	32	B
37	33	E
38	34	E
39	35	B
40	36	A
41	37	B
42	38	E
43	39	E
44	40	B
45	41	A
46	42	B
47	43	E
48	20	E
49	21	B
50	22	A
51	23	B
52	24	E
53	25	E
54	26	B
55	27	A
56	28	B
57	29	E
58	30	E
59	31	B
60	32	A
61	33	B
62	34	E
63	35	E
64	36	B
65	37	A
66	38	B
67	39	E
68	40	E
69	41	B
70	42	A
71	43	B
72	20	E
73	30	A
\.


--
-- Name: audit_id; Type: SEQUENCE SET; Schema: bkpriv; Owner: postgres
--

SELECT pg_catalog.setval('bkpriv.audit_id', 11, true);


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

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_1 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._guard();


--
-- Name: release_2 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_2 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._guard();


--
-- Name: release_4 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_4 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._guard();


--
-- Name: release_4_sensitive guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_4_sensitive FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._guard();


--
-- Name: release_5 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_5 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._guard();


--
-- Name: release_5_sensitive guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_5_sensitive FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._guard();


--
-- Name: release_6 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_6 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._guard();


--
-- Name: release_7 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_7 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._guard();


--
-- Name: release_8 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_8 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._guard();


--
-- Name: release_9 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_9 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._guard();


--
-- Name: person bkpriv_stale_12a032ce9179c32a6c7ab397b9d871fa; Type: TRIGGER; Schema: ward; Owner: postgres
--

CREATE TRIGGER bkpriv_stale_12a032ce9179c32a6c7ab397b9d871fa AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON ward.person FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._mark_stale('people');


--
-- Name: patient bkpriv_stale_3495d5d84b3bedeb4377cfc005bfbe52; Type: TRIGGER; Schema: ward; Owner: postgres
--

CREATE TRIGGER bkpriv_stale_3495d5d84b3bedeb4377cfc005bfbe52 AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON ward.patient FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._mark_stale('patients');


--
-- Name: case bkpriv_stale_c78bd47f6af6291187ad968471d5c943; Type: TRIGGER; Schema: ward; Owner: postgres
--

CREATE TRIGGER bkpriv_stale_c78bd47f6af6291187ad968471d5c943 AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON ward."case" FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._mark_stale('cases');


--
-- Name: SCHEMA bkpriv; Type: ACL; Schema: -; Owner: postgres
--

GRANT USAGE ON SCHEMA bkpriv TO upgrade_publisher;
GRANT USAGE ON SCHEMA bkpriv TO upgrade_auditor;
GRANT USAGE ON SCHEMA bkpriv TO upgrade_both;


--
-- Name: SCHEMA bkpriv_release; Type: ACL; Schema: -; Owner: postgres
--

GRANT USAGE ON SCHEMA bkpriv_release TO upgrade_publisher;
GRANT USAGE ON SCHEMA bkpriv_release TO upgrade_both;


--
-- Name: SCHEMA ward; Type: ACL; Schema: -; Owner: postgres
--

GRANT USAGE ON SCHEMA ward TO upgrade_reader;
GRANT USAGE ON SCHEMA ward TO upgrade_both;
GRANT ALL ON SCHEMA ward TO upgrade_publisher;


--
-- Name: FUNCTION _auditor(); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._auditor() TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv._auditor() TO upgrade_both;


--
-- Name: FUNCTION _bootstrap(); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._bootstrap() TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._bootstrap() TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv._bootstrap() TO upgrade_both;


--
-- Name: FUNCTION _create_release_table(new_release bigint, columns text[], types regtype[], part text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._create_release_table(new_release bigint, columns text[], types regtype[], part text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._create_release_table(new_release bigint, columns text[], types regtype[], part text) TO upgrade_both;


--
-- Name: FUNCTION _disclosure(release bigint, bandwidth jsonb, estimator text, OUT group_id integer[], OUT qi text[], OUT records bigint[], OUT disclosure double precision[], OUT estimated text[]); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._disclosure(release bigint, bandwidth jsonb, estimator text, OUT group_id integer[], OUT qi text[], OUT records bigint[], OUT disclosure double precision[], OUT estimated text[]) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._disclosure(release bigint, bandwidth jsonb, estimator text, OUT group_id integer[], OUT qi text[], OUT records bigint[], OUT disclosure double precision[], OUT estimated text[]) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv._disclosure(release bigint, bandwidth jsonb, estimator text, OUT group_id integer[], OUT qi text[], OUT records bigint[], OUT disclosure double precision[], OUT estimated text[]) TO upgrade_both;


--
-- Name: FUNCTION _disclosure_given(release bigint, knowledge jsonb, OUT respondent text[], OUT group_id integer[], OUT qi text[], OUT person integer[], OUT place integer[], OUT beliefs text[], OUT sensitive text[]); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._disclosure_given(release bigint, knowledge jsonb, OUT respondent text[], OUT group_id integer[], OUT qi text[], OUT person integer[], OUT place integer[], OUT beliefs text[], OUT sensitive text[]) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._disclosure_given(release bigint, knowledge jsonb, OUT respondent text[], OUT group_id integer[], OUT qi text[], OUT person integer[], OUT place integer[], OUT beliefs text[], OUT sensitive text[]) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv._disclosure_given(release bigint, knowledge jsonb, OUT respondent text[], OUT group_id integer[], OUT qi text[], OUT person integer[], OUT place integer[], OUT beliefs text[], OUT sensitive text[]) TO upgrade_both;


--
-- Name: FUNCTION _drop_release_tables(old_release bigint); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._drop_release_tables(old_release bigint) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._drop_release_tables(old_release bigint) TO upgrade_both;


--
-- Name: FUNCTION _hold_writers(new_release bigint); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._hold_writers(new_release bigint) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._hold_writers(new_release bigint) TO upgrade_both;


--
-- Name: FUNCTION _mark_stale(); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._mark_stale() TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._mark_stale() TO upgrade_both;


--
-- Name: FUNCTION _owns(owner text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._owns(owner text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._owns(owner text) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv._owns(owner text) TO upgrade_both;


--
-- Name: FUNCTION _posterior(release bigint, bandwidth jsonb, estimator text, OUT group_id integer[], OUT qi text[], OUT priors text[], OUT posteriors text[], OUT estimated text[], OUT sensitive text[]); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._posterior(release bigint, bandwidth jsonb, estimator text, OUT group_id integer[], OUT qi text[], OUT priors text[], OUT posteriors text[], OUT estimated text[], OUT sensitive text[]) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._posterior(release bigint, bandwidth jsonb, estimator text, OUT group_id integer[], OUT qi text[], OUT priors text[], OUT posteriors text[], OUT estimated text[], OUT sensitive text[]) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv._posterior(release bigint, bandwidth jsonb, estimator text, OUT group_id integer[], OUT qi text[], OUT priors text[], OUT posteriors text[], OUT estimated text[], OUT sensitive text[]) TO upgrade_both;


--
-- Name: FUNCTION _prior(dataset text, bandwidth jsonb, OUT qi text[], OUT probabilities text[], OUT sensitive text[]); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._prior(dataset text, bandwidth jsonb, OUT qi text[], OUT probabilities text[], OUT sensitive text[]) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._prior(dataset text, bandwidth jsonb, OUT qi text[], OUT probabilities text[], OUT sensitive text[]) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv._prior(dataset text, bandwidth jsonb, OUT qi text[], OUT probabilities text[], OUT sensitive text[]) TO upgrade_both;


--
-- Name: FUNCTION _python_path(); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._python_path() TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._python_path() TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv._python_path() TO upgrade_both;


--
-- Name: FUNCTION _release_table(release bigint, part text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._release_table(release bigint, part text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._release_table(release bigint, part text) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv._release_table(release bigint, part text) TO upgrade_both;


--
-- Name: FUNCTION _release_tables(release bigint); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._release_tables(release bigint) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._release_tables(release bigint) TO upgrade_both;


--
-- Name: FUNCTION _seal_release_tables(new_release bigint); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._seal_release_tables(new_release bigint) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._seal_release_tables(new_release bigint) TO upgrade_both;


--
-- Name: FUNCTION _sees(owner text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._sees(owner text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._sees(owner text) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv._sees(owner text) TO upgrade_both;


--
-- Name: FUNCTION _stale_trigger(dataset text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._stale_trigger(dataset text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._stale_trigger(dataset text) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv._stale_trigger(dataset text) TO upgrade_both;


--
-- Name: FUNCTION _tracked(dataset text, source_schema text, source_name text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._tracked(dataset text, source_schema text, source_name text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._tracked(dataset text, source_schema text, source_name text) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv._tracked(dataset text, source_schema text, source_name text) TO upgrade_both;


--
-- Name: FUNCTION _written_tables(source_schema text, source_name text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv._written_tables(source_schema text, source_name text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv._written_tables(source_schema text, source_name text) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv._written_tables(source_schema text, source_name text) TO upgrade_both;


--
-- Name: FUNCTION association(release bigint); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.association(release bigint) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.association(release bigint) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.association(release bigint) TO upgrade_both;


--
-- Name: FUNCTION audit(release bigint, requirements jsonb, estimator text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.audit(release bigint, requirements jsonb, estimator text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.audit(release bigint, requirements jsonb, estimator text) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.audit(release bigint, requirements jsonb, estimator text) TO upgrade_both;


--
-- Name: FUNCTION bethe_posterior(prior double precision[], counts integer[]); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.bethe_posterior(prior double precision[], counts integer[]) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.bethe_posterior(prior double precision[], counts integer[]) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.bethe_posterior(prior double precision[], counts integer[]) TO upgrade_both;


--
-- Name: FUNCTION disclosure(release bigint, bandwidth jsonb, estimator text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.disclosure(release bigint, bandwidth jsonb, estimator text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.disclosure(release bigint, bandwidth jsonb, estimator text) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.disclosure(release bigint, bandwidth jsonb, estimator text) TO upgrade_both;


--
-- Name: FUNCTION disclosure_given(release bigint, knowledge jsonb); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.disclosure_given(release bigint, knowledge jsonb) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.disclosure_given(release bigint, knowledge jsonb) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.disclosure_given(release bigint, knowledge jsonb) TO upgrade_both;


--
-- Name: FUNCTION doctor(); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.doctor() TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.doctor() TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.doctor() TO upgrade_both;


--
-- Name: FUNCTION drop_dataset(dataset text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.drop_dataset(dataset text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.drop_dataset(dataset text) TO upgrade_both;


--
-- Name: FUNCTION emd(p double precision[], q double precision[], ground double precision[]); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.emd(p double precision[], q double precision[], ground double precision[]) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.emd(p double precision[], q double precision[], ground double precision[]) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.emd(p double precision[], q double precision[], ground double precision[]) TO upgrade_both;


--
-- Name: FUNCTION exact_posterior(prior double precision[], counts integer[]); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.exact_posterior(prior double precision[], counts integer[]) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.exact_posterior(prior double precision[], counts integer[]) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.exact_posterior(prior double precision[], counts integer[]) TO upgrade_both;


--
-- Name: FUNCTION explain_disclosure(release bigint, bandwidth jsonb, estimator text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.explain_disclosure(release bigint, bandwidth jsonb, estimator text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.explain_disclosure(release bigint, bandwidth jsonb, estimator text) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.explain_disclosure(release bigint, bandwidth jsonb, estimator text) TO upgrade_both;


--
-- Name: FUNCTION js_divergence(p double precision[], q double precision[]); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.js_divergence(p double precision[], q double precision[]) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.js_divergence(p double precision[], q double precision[]) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.js_divergence(p double precision[], q double precision[]) TO upgrade_both;


--
-- Name: FUNCTION lattice(dataset text, policy text, options jsonb); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.lattice(dataset text, policy text, options jsonb) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.lattice(dataset text, policy text, options jsonb) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.lattice(dataset text, policy text, options jsonb) TO upgrade_both;


--
-- Name: FUNCTION max_disclosure(release bigint, k integer, language text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.max_disclosure(release bigint, k integer, language text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.max_disclosure(release bigint, k integer, language text) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.max_disclosure(release bigint, k integer, language text) TO upgrade_both;


--
-- Name: FUNCTION omega_posterior(prior double precision[], counts integer[]); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.omega_posterior(prior double precision[], counts integer[]) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.omega_posterior(prior double precision[], counts integer[]) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.omega_posterior(prior double precision[], counts integer[]) TO upgrade_both;


--
-- Name: FUNCTION posterior(release bigint, bandwidth jsonb, estimator text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.posterior(release bigint, bandwidth jsonb, estimator text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.posterior(release bigint, bandwidth jsonb, estimator text) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.posterior(release bigint, bandwidth jsonb, estimator text) TO upgrade_both;


--
-- Name: FUNCTION prior(dataset text, bandwidth jsonb); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.prior(dataset text, bandwidth jsonb) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.prior(dataset text, bandwidth jsonb) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.prior(dataset text, bandwidth jsonb) TO upgrade_both;


--
-- Name: FUNCTION publish(dataset text, policy text, view_name text, method text, period text, options jsonb, view_schema text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.publish(dataset text, policy text, view_name text, method text, period text, options jsonb, view_schema text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.publish(dataset text, policy text, view_name text, method text, period text, options jsonb, view_schema text) TO upgrade_both;


--
-- Name: FUNCTION query_accuracy(release bigint, query text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.query_accuracy(release bigint, query text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.query_accuracy(release bigint, query text) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.query_accuracy(release bigint, query text) TO upgrade_both;


--
-- Name: FUNCTION query_workload(release bigint, queries integer, dimensions integer, selectivity double precision, seed bigint); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.query_workload(release bigint, queries integer, dimensions integer, selectivity double precision, seed bigint) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.query_workload(release bigint, queries integer, dimensions integer, selectivity double precision, seed bigint) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.query_workload(release bigint, queries integer, dimensions integer, selectivity double precision, seed bigint) TO upgrade_both;


--
-- Name: FUNCTION register_dataset(name text, source regclass, quasi_identifiers text[], sensitive text, respondent text, period text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.register_dataset(name text, source regclass, quasi_identifiers text[], sensitive text, respondent text, period text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.register_dataset(name text, source regclass, quasi_identifiers text[], sensitive text, respondent text, period text) TO upgrade_both;


--
-- Name: FUNCTION rewrite_query(release bigint, query text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.rewrite_query(release bigint, query text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.rewrite_query(release bigint, query text) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.rewrite_query(release bigint, query text) TO upgrade_both;


--
-- Name: FUNCTION set_hierarchy(dataset text, attribute text, levels regclass); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.set_hierarchy(dataset text, attribute text, levels regclass) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.set_hierarchy(dataset text, attribute text, levels regclass) TO upgrade_both;


--
-- Name: FUNCTION set_interval_hierarchy(dataset text, attribute text, widths numeric[], origin numeric); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.set_interval_hierarchy(dataset text, attribute text, widths numeric[], origin numeric) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.set_interval_hierarchy(dataset text, attribute text, widths numeric[], origin numeric) TO upgrade_both;


--
-- Name: FUNCTION set_policy(name text, requirements jsonb); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.set_policy(name text, requirements jsonb) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.set_policy(name text, requirements jsonb) TO upgrade_both;


--
-- Name: FUNCTION smoothed_distance(p double precision[], q double precision[], ground double precision[], bandwidth double precision); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.smoothed_distance(p double precision[], q double precision[], ground double precision[], bandwidth double precision) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.smoothed_distance(p double precision[], q double precision[], ground double precision[], bandwidth double precision) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.smoothed_distance(p double precision[], q double precision[], ground double precision[], bandwidth double precision) TO upgrade_both;


--
-- Name: FUNCTION utility(release bigint); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.utility(release bigint) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.utility(release bigint) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.utility(release bigint) TO upgrade_both;


--
-- Name: FUNCTION version(); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.version() TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.version() TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.version() TO upgrade_both;


--
-- Name: FUNCTION withdraw(release bigint, reason text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.withdraw(release bigint, reason text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.withdraw(release bigint, reason text) TO upgrade_both;


--
-- Name: FUNCTION worst_case(histograms integer[], k integer, language text); Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv.worst_case(histograms integer[], k integer, language text) TO upgrade_publisher;
GRANT ALL ON FUNCTION bkpriv.worst_case(histograms integer[], k integer, language text) TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv.worst_case(histograms integer[], k integer, language text) TO upgrade_both;


--
-- Name: SEQUENCE audit_id; Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT USAGE ON SEQUENCE bkpriv.audit_id TO upgrade_publisher;
GRANT USAGE ON SEQUENCE bkpriv.audit_id TO upgrade_auditor;
GRANT USAGE ON SEQUENCE bkpriv.audit_id TO upgrade_both;


--
-- Name: TABLE audit_record; Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT SELECT,INSERT ON TABLE bkpriv.audit_record TO upgrade_publisher;
GRANT SELECT,INSERT ON TABLE bkpriv.audit_record TO upgrade_auditor;
GRANT SELECT,INSERT ON TABLE bkpriv.audit_record TO upgrade_both;


--
-- Name: SEQUENCE release_id; Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT USAGE ON SEQUENCE bkpriv.release_id TO upgrade_publisher;
GRANT USAGE ON SEQUENCE bkpriv.release_id TO upgrade_both;


--
-- Name: TABLE release; Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT SELECT,INSERT ON TABLE bkpriv.release TO upgrade_publisher;
GRANT SELECT ON TABLE bkpriv.release TO upgrade_auditor;
GRANT SELECT,INSERT ON TABLE bkpriv.release TO upgrade_both;


--
-- Name: TABLE audits; Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT SELECT ON TABLE bkpriv.audits TO upgrade_publisher;
GRANT SELECT ON TABLE bkpriv.audits TO upgrade_auditor;
GRANT SELECT ON TABLE bkpriv.audits TO upgrade_both;


--
-- Name: TABLE dataset; Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT SELECT,INSERT,DELETE ON TABLE bkpriv.dataset TO upgrade_publisher;
GRANT SELECT ON TABLE bkpriv.dataset TO upgrade_auditor;
GRANT SELECT,INSERT,DELETE ON TABLE bkpriv.dataset TO upgrade_both;


--
-- Name: COLUMN dataset.registered_at; Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT UPDATE(registered_at) ON TABLE bkpriv.dataset TO upgrade_publisher;
GRANT UPDATE(registered_at) ON TABLE bkpriv.dataset TO upgrade_both;


--
-- Name: TABLE hierarchy; Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE bkpriv.hierarchy TO upgrade_publisher;
GRANT SELECT ON TABLE bkpriv.hierarchy TO upgrade_auditor;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE bkpriv.hierarchy TO upgrade_both;


--
-- Name: TABLE policy; Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT SELECT,INSERT,UPDATE ON TABLE bkpriv.policy TO upgrade_publisher;
GRANT SELECT ON TABLE bkpriv.policy TO upgrade_auditor;
GRANT SELECT,INSERT,UPDATE ON TABLE bkpriv.policy TO upgrade_both;


--
-- Name: TABLE release_attribute; Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT SELECT,INSERT ON TABLE bkpriv.release_attribute TO upgrade_publisher;
GRANT SELECT ON TABLE bkpriv.release_attribute TO upgrade_auditor;
GRANT SELECT,INSERT ON TABLE bkpriv.release_attribute TO upgrade_both;


--
-- Name: TABLE release_content; Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT SELECT,INSERT ON TABLE bkpriv.release_content TO upgrade_publisher;
GRANT SELECT ON TABLE bkpriv.release_content TO upgrade_auditor;
GRANT SELECT,INSERT ON TABLE bkpriv.release_content TO upgrade_both;


--
-- Name: SEQUENCE release_event_id; Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT USAGE ON SEQUENCE bkpriv.release_event_id TO upgrade_publisher;
GRANT USAGE ON SEQUENCE bkpriv.release_event_id TO upgrade_both;


--
-- Name: TABLE release_event; Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT SELECT,INSERT ON TABLE bkpriv.release_event TO upgrade_publisher;
GRANT SELECT ON TABLE bkpriv.release_event TO upgrade_auditor;
GRANT SELECT,INSERT ON TABLE bkpriv.release_event TO upgrade_both;


--
-- Name: TABLE release_respondent; Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT SELECT,INSERT ON TABLE bkpriv.release_respondent TO upgrade_publisher;
GRANT SELECT ON TABLE bkpriv.release_respondent TO upgrade_auditor;
GRANT SELECT,INSERT ON TABLE bkpriv.release_respondent TO upgrade_both;


--
-- Name: TABLE releases; Type: ACL; Schema: bkpriv; Owner: postgres
--

GRANT SELECT ON TABLE bkpriv.releases TO upgrade_publisher;
GRANT SELECT ON TABLE bkpriv.releases TO upgrade_auditor;
GRANT SELECT ON TABLE bkpriv.releases TO upgrade_both;


--
-- Name: TABLE release_1; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_1 FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_1 TO postgres;


--
-- Name: TABLE release_2; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_2 FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_2 TO postgres;


--
-- Name: TABLE release_4; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_4 FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_4 TO postgres;


--
-- Name: TABLE release_4_sensitive; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_4_sensitive FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_4_sensitive TO postgres;


--
-- Name: TABLE release_5; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_5 FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_5 TO postgres;


--
-- Name: TABLE release_5_sensitive; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_5_sensitive FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_5_sensitive TO postgres;


--
-- Name: TABLE release_6; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_6 FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_6 TO postgres;


--
-- Name: TABLE release_7; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_7 FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_7 TO postgres;


--
-- Name: TABLE release_8; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

GRANT SELECT ON TABLE bkpriv_release.release_8 TO upgrade_publisher;


--
-- Name: TABLE release_9; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

GRANT SELECT ON TABLE bkpriv_release.release_9 TO upgrade_publisher;


--
-- Name: TABLE patients; Type: ACL; Schema: ward; Owner: postgres
--

GRANT SELECT ON TABLE ward.patients TO upgrade_reader;


--
-- Name: TABLE person; Type: ACL; Schema: ward; Owner: postgres
--

GRANT SELECT,TRIGGER ON TABLE ward.person TO upgrade_publisher;


--
-- Name: cases; Type: MATERIALIZED VIEW DATA; Schema: ward; Owner: postgres
--

REFRESH MATERIALIZED VIEW ward.cases;


--
-- PostgreSQL database dump complete
--


