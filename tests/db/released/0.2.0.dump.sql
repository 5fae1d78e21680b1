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
    stage text
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
1	0	1	k_anonymity	{"k": 4}	4	4	6.1875	0	t	exact	2026-11-22 07:58:31.920016+00	postgres
1	1	1	l_diversity	{"l": 2, "variant": "distinct"}	2	2	3.3854166666666665	0	t	exact	2026-11-22 07:58:31.920016+00	postgres
2	0	2	k_anonymity	{"k": 3}	3	4	6.9375	0	t	exact	2026-11-22 07:58:31.971784+00	postgres
2	1	2	ck_safety	{"c": 0.95, "k": 1}	0.95	0.8536585365853658	0.6893489014013143	0	t	exact	2026-11-22 07:58:31.971784+00	postgres
2	2	2	bt_privacy	{"t": 0.4, "bandwidth": 0.3}	0.4	0.20055633225941327	0.04570815675214735	0	t	exact	2026-11-22 07:58:31.971784+00	postgres
3	0	3	k_anonymity	{"k": 4}	4	4	6.1875	0	t	exact	2026-11-22 07:58:32.055851+00	postgres
3	1	3	l_diversity	{"l": 2, "variant": "distinct"}	2	2	3.3854166666666665	0	t	exact	2026-11-22 07:58:32.055851+00	postgres
4	0	4	k_anonymity	{"k": 4}	4	4	6.1875	0	t	exact	2026-11-22 07:58:32.084168+00	postgres
4	1	4	l_diversity	{"l": 2, "variant": "distinct"}	2	2	3.3854166666666665	0	t	exact	2026-11-22 07:58:32.084168+00	postgres
5	0	5	k_anonymity	{"k": 4}	4	4	4	0	t	exact	2026-11-22 07:58:32.109879+00	postgres
5	1	5	l_diversity	{"l": 2, "variant": "distinct"}	2	2	2.875	0	t	exact	2026-11-22 07:58:32.109879+00	postgres
6	0	6	k_anonymity	{"k": 4}	4	11	12.041666666666666	0	t	exact	2026-11-22 07:58:32.135695+00	postgres
6	1	6	l_diversity	{"l": 2, "variant": "distinct"}	2	3	3.875	0	t	exact	2026-11-22 07:58:32.135695+00	postgres
7	0	7	k_anonymity	{"k": 4}	4	9	9	0	t	exact	2026-11-22 07:58:32.157983+00	postgres
7	1	7	l_diversity	{"l": 2, "variant": "distinct"}	2	2	2	0	t	exact	2026-11-22 07:58:32.157983+00	postgres
8	0	8	k_anonymity	{"k": 4}	4	6	9.25	0	t	exact	2026-11-22 07:58:32.184617+00	upgrade_publisher
8	1	8	l_diversity	{"l": 2, "variant": "distinct"}	2	3	3	0	t	exact	2026-11-22 07:58:32.184617+00	upgrade_publisher
9	0	9	k_anonymity	{"k": 4}	4	6	9.383561643835616	0	t	exact	2026-11-22 07:58:32.209734+00	upgrade_publisher
9	1	9	l_diversity	{"l": 2, "variant": "distinct"}	2	3	3	0	t	exact	2026-11-22 07:58:32.209734+00	upgrade_publisher
10	0	2	k_anonymity	{"k": 3}	3	4	6.9375	0	t	exact	2026-11-22 07:58:32.232261+00	postgres
10	1	2	ck_safety	{"c": 0.95, "k": 1}	0.95	0.8536585365853658	0.6893489014013143	0	t	exact	2026-11-22 07:58:32.232261+00	postgres
10	2	2	bt_privacy	{"t": 0.4, "bandwidth": 0.3}	0.4	0.20055633225941327	0.04570815675214735	0	t	exact	2026-11-22 07:58:32.232261+00	postgres
11	0	8	k_anonymity	{"k": 9}	9	6	9.25	6	f	exact	2026-11-22 07:58:32.242546+00	upgrade_auditor
\.


--
-- Data for Name: dataset; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.dataset (name, owner, source_schema, source_name, quasi_identifiers, sensitive, respondent, period, registered_at, bins) FROM stdin;
patients	postgres	ward	patient	{age,sex,city}	disease	\N	\N	2026-11-22 07:58:31.871647+00	{}
cases	postgres	ward	case	{age,unit}	stage	\N	\N	2026-11-22 07:58:31.899463+00	{}
people	upgrade_publisher	ward	person	{age}	unit	id	\N	2026-11-22 07:58:32.177782+00	{"age": 3}
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
plain	postgres	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	2026-11-22 07:58:31.622087+00
beliefs	postgres	{"ck_safety": {"c": 0.95, "k": 1}, "bt_privacy": [{"t": 0.4, "bandwidth": 0.3}], "k_anonymity": {"k": 3}}	2026-11-22 07:58:31.869175+00
\.


--
-- Data for Name: release; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release (release, dataset, owner, version, source_schema, source_name, view_schema, view_name, method, policy, requirements, options, period, records, suppressed, groups, created_at, created_by, watch) FROM stdin;
1	patients	postgres	1	ward	patient	ward	patients	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	96	0	17	2026-11-22 07:58:31.920016+00	postgres	{258a046b-1f0b-4593-9699-ae9427d9d458}
2	patients	postgres	2	ward	patient	ward	patients	mondrian	beliefs	{"ck_safety": {"c": 0.95, "k": 1}, "bt_privacy": [{"t": 0.4, "bandwidth": 0.3}], "k_anonymity": {"k": 3}}	{}	\N	96	0	15	2026-11-22 07:58:31.971784+00	postgres	{258a046b-1f0b-4593-9699-ae9427d9d458}
3	patients	postgres	3	ward	patient	ward	gone	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	96	0	17	2026-11-22 07:58:32.055851+00	postgres	{258a046b-1f0b-4593-9699-ae9427d9d458}
4	patients	postgres	4	ward	patient	ward	buckets	bucketize	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	96	0	17	2026-11-22 07:58:32.084168+00	postgres	{258a046b-1f0b-4593-9699-ae9427d9d458}
5	patients	postgres	5	ward	patient	ward	anatomy	anatomy	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	96	0	24	2026-11-22 07:58:32.109879+00	postgres	{258a046b-1f0b-4593-9699-ae9427d9d458}
6	patients	postgres	6	ward	patient	ward	whole	incognito	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	96	0	8	2026-11-22 07:58:32.135695+00	postgres	{258a046b-1f0b-4593-9699-ae9427d9d458}
7	cases	postgres	1	ward	case	ward	cases	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{"materialized": true}	\N	72	0	8	2026-11-22 07:58:32.157983+00	postgres	{1180b1be-beaf-4fc2-9556-2a2f07ce14b8}
8	people	upgrade_publisher	1	ward	person	ward	people	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	72	0	8	2026-11-22 07:58:32.184617+00	upgrade_publisher	{81c4fbf4-1bb3-48aa-95c7-f1f5d4bafc98}
9	people	upgrade_publisher	2	ward	person	ward	fresh	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	73	0	8	2026-11-22 07:58:32.209734+00	upgrade_publisher	{81c4fbf4-1bb3-48aa-95c7-f1f5d4bafc98}
\.


--
-- Data for Name: release_attribute; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_attribute (release, place, attribute, labels, positions, levels, type, widths, origin, level, ends) FROM stdin;
1	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	\N	\N
1	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N
1	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	\N	\N
1	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N	\N
2	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	\N	\N
2	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N
2	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	\N	\N
2	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N	\N
3	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	\N	\N
3	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N
3	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	\N	\N
3	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N	\N
4	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	\N	\N
4	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N
4	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	\N	\N
4	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N	\N
5	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	\N	\N
5	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N
5	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	\N	\N
5	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N	\N
6	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	1	\N
6	1	sex	{f,m}	\N	\N	text	\N	\N	1	\N
6	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	0	\N
6	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N	\N
7	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	\N	integer	\N	\N	\N	\N
7	1	unit	{A,B,C,D}	\N	\N	text	\N	\N	\N	\N
7	2	stage	{mild,grave}	\N	\N	ward.stage	\N	\N	\N	\N
8	0	age	{18,21,24,27,30,33,36,39,42}	{18,21,24,27,30,33,36,39,42}	\N	integer	\N	\N	\N	{21,24,27,30,33,36,39,42,45}
8	1	unit	{A,B,E}	\N	\N	text	\N	\N	\N	\N
9	0	age	{18,21,24,27,30,33,36,39,42}	{18,21,24,27,30,33,36,39,42}	\N	integer	\N	\N	\N	{21,24,27,30,33,36,39,42,45}
9	1	unit	{A,B,E}	\N	\N	text	\N	\N	\N	\N
\.


--
-- Data for Name: release_content; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_content (release, codes, group_ids, cells, sensitive_codes, counts) FROM stdin;
1	{0,1,0,1,0,1,1,1,1,2,0,0,2,1,0,3,0,1,3,1,1,4,0,0,4,1,0,5,0,1,5,1,1,6,0,0,6,1,0,7,0,1,7,1,1,8,0,0,8,1,0,9,0,1,9,1,1,10,0,0,10,1,0,11,0,1,11,1,1,12,0,0,12,1,0,13,1,1,14,0,0,14,1,0,15,1,1,16,0,0,16,1,0,17,1,1,18,0,0,18,1,0,19,1,1,20,0,0,20,1,0,21,0,1,21,1,1,22,0,0,22,1,0,23,0,1,23,1,1,24,0,0,24,1,0,25,0,1,25,1,1,26,0,0,26,1,0,27,0,1,27,1,1,28,0,0,28,1,0,29,0,1,29,1,1,30,0,0,30,1,0,31,0,1,31,1,1,32,0,0,32,1,0,33,0,1,33,1,1,34,1,0,35,0,1,35,1,1,36,1,0,37,0,1,37,1,1,38,1,0,39,0,1,39,1,1}	{11,13,16,5,11,13,16,5,11,13,16,5,11,13,16,5,11,13,16,2,7,13,16,2,7,9,2,7,9,2,4,9,2,4,9,6,12,15,1,6,12,15,1,6,12,15,1,6,12,15,1,6,10,15,3,6,10,14,3,6,8,14,3,8,14,3,0,14,3,0,14,3}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,27,28,29,30,30,31,31,32,33,33,34,34,35,36,37,38,38,39,40,41,42,42,43,44,45,46,46,47,48,49,50,51,52,52,53,54,55,56,56,57,58,59,60,60,61,62,63,63,64,65,65,66,66,67,68,68,69,70,71}	{1,0,0,0,1,1,1,2,2,0,0,0,0,3,3,0,0,2,2,1,1,3,2,3,3,1,3,1,3,1,0,0,2,0,1,1,1,2,2,3,2,0,0,0,3,1,3,0,1,2,1,2,1,0,1,0,3,3,0,1,0,1,1,2,0,1,2,2,0,3,0,3,2,0,2,3,1,1,2,2,3,3,1,3,1,3,1}	{2,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,2,1,1,1,2,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1}
2	{0,1,0,1,0,1,1,1,1,2,0,0,2,1,0,3,0,1,3,1,1,4,0,0,4,1,0,5,0,1,5,1,1,6,0,0,6,1,0,7,0,1,7,1,1,8,0,0,8,1,0,9,0,1,9,1,1,10,0,0,10,1,0,11,0,1,11,1,1,12,0,0,12,1,0,13,1,1,14,0,0,14,1,0,15,1,1,16,0,0,16,1,0,17,1,1,18,0,0,18,1,0,19,1,1,20,0,0,20,1,0,21,0,1,21,1,1,22,0,0,22,1,0,23,0,1,23,1,1,24,0,0,24,1,0,25,0,1,25,1,1,26,0,0,26,1,0,27,0,1,27,1,1,28,0,0,28,1,0,29,0,1,29,1,1,30,0,0,30,1,0,31,0,1,31,1,1,32,0,0,32,1,0,33,0,1,33,1,1,34,1,0,35,0,1,35,1,1,36,1,0,37,0,1,37,1,1,38,1,0,39,0,1,39,1,1}	{7,0,14,3,7,0,14,3,7,0,14,3,7,0,14,3,7,0,14,3,9,0,14,3,9,8,3,9,8,3,9,8,3,9,8,4,11,5,10,4,11,5,10,4,11,5,10,4,11,5,10,4,13,5,12,4,13,1,12,4,6,1,12,6,1,12,2,1,12,2,1,12}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,27,28,29,30,30,31,31,32,33,33,34,34,35,36,37,38,38,39,40,41,42,42,43,44,45,46,46,47,48,49,50,51,52,52,53,54,55,56,56,57,58,59,60,60,61,62,63,63,64,65,65,66,66,67,68,68,69,70,71}	{1,0,0,0,1,1,1,2,2,0,0,0,0,3,3,0,0,2,2,1,1,3,2,3,3,1,3,1,3,1,0,0,2,0,1,1,1,2,2,3,2,0,0,0,3,1,3,0,1,2,1,2,1,0,1,0,3,3,0,1,0,1,1,2,0,1,2,2,0,3,0,3,2,0,2,3,1,1,2,2,3,3,1,3,1,3,1}	{2,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,2,1,1,1,2,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1}
3	{0,1,0,1,0,1,1,1,1,2,0,0,2,1,0,3,0,1,3,1,1,4,0,0,4,1,0,5,0,1,5,1,1,6,0,0,6,1,0,7,0,1,7,1,1,8,0,0,8,1,0,9,0,1,9,1,1,10,0,0,10,1,0,11,0,1,11,1,1,12,0,0,12,1,0,13,1,1,14,0,0,14,1,0,15,1,1,16,0,0,16,1,0,17,1,1,18,0,0,18,1,0,19,1,1,20,0,0,20,1,0,21,0,1,21,1,1,22,0,0,22,1,0,23,0,1,23,1,1,24,0,0,24,1,0,25,0,1,25,1,1,26,0,0,26,1,0,27,0,1,27,1,1,28,0,0,28,1,0,29,0,1,29,1,1,30,0,0,30,1,0,31,0,1,31,1,1,32,0,0,32,1,0,33,0,1,33,1,1,34,1,0,35,0,1,35,1,1,36,1,0,37,0,1,37,1,1,38,1,0,39,0,1,39,1,1}	{12,14,4,8,12,14,4,8,12,14,4,8,12,14,4,8,12,14,4,6,11,14,4,6,11,0,6,11,0,6,5,0,6,5,0,16,15,9,2,16,15,9,2,16,15,9,2,16,15,9,2,16,7,9,3,16,7,1,3,16,13,1,3,13,1,3,10,1,3,10,1,3}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,27,28,29,30,30,31,31,32,33,33,34,34,35,36,37,38,38,39,40,41,42,42,43,44,45,46,46,47,48,49,50,51,52,52,53,54,55,56,56,57,58,59,60,60,61,62,63,63,64,65,65,66,66,67,68,68,69,70,71}	{1,0,0,0,1,1,1,2,2,0,0,0,0,3,3,0,0,2,2,1,1,3,2,3,3,1,3,1,3,1,0,0,2,0,1,1,1,2,2,3,2,0,0,0,3,1,3,0,1,2,1,2,1,0,1,0,3,3,0,1,0,1,1,2,0,1,2,2,0,3,0,3,2,0,2,3,1,1,2,2,3,3,1,3,1,3,1}	{2,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,2,1,1,1,2,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1}
4	{0,1,0,1,0,1,1,1,1,2,0,0,2,1,0,3,0,1,3,1,1,4,0,0,4,1,0,5,0,1,5,1,1,6,0,0,6,1,0,7,0,1,7,1,1,8,0,0,8,1,0,9,0,1,9,1,1,10,0,0,10,1,0,11,0,1,11,1,1,12,0,0,12,1,0,13,1,1,14,0,0,14,1,0,15,1,1,16,0,0,16,1,0,17,1,1,18,0,0,18,1,0,19,1,1,20,0,0,20,1,0,21,0,1,21,1,1,22,0,0,22,1,0,23,0,1,23,1,1,24,0,0,24,1,0,25,0,1,25,1,1,26,0,0,26,1,0,27,0,1,27,1,1,28,0,0,28,1,0,29,0,1,29,1,1,30,0,0,30,1,0,31,0,1,31,1,1,32,0,0,32,1,0,33,0,1,33,1,1,34,1,0,35,0,1,35,1,1,36,1,0,37,0,1,37,1,1,38,1,0,39,0,1,39,1,1}	{8,15,14,4,8,15,14,4,8,15,14,4,8,15,14,4,8,15,14,13,10,15,14,13,10,12,13,10,12,13,11,12,13,11,12,0,2,7,5,0,2,7,5,0,2,7,5,0,2,7,5,0,16,7,9,0,16,1,9,0,3,1,9,3,1,9,6,1,9,6,1,9}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,27,28,29,30,30,31,31,32,33,33,34,34,35,36,37,38,38,39,40,41,42,42,43,44,45,46,46,47,48,49,50,51,52,52,53,54,55,56,56,57,58,59,60,60,61,62,63,63,64,65,65,66,66,67,68,68,69,70,71}	{1,0,0,0,1,1,1,2,2,0,0,0,0,3,3,0,0,2,2,1,1,3,2,3,3,1,3,1,3,1,0,0,2,0,1,1,1,2,2,3,2,0,0,0,3,1,3,0,1,2,1,2,1,0,1,0,3,3,0,1,0,1,1,2,0,1,2,2,0,3,0,3,2,0,2,3,1,1,2,2,3,3,1,3,1,3,1}	{2,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,2,1,1,1,2,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1}
5	{2,1,0,4,1,0,5,0,1,5,1,1,1,1,1,4,1,0,7,0,1,10,1,0,0,1,0,3,1,1,8,1,0,16,0,0,7,1,1,9,0,1,11,0,1,13,1,1,0,1,0,8,0,0,14,1,0,23,0,1,6,1,0,10,0,0,14,0,0,18,1,0,1,0,1,2,1,0,24,1,0,28,0,0,12,1,0,14,1,0,17,1,1,18,1,0,6,0,0,13,1,1,19,1,1,28,1,0,9,1,1,25,1,1,26,0,0,11,1,1,16,1,0,20,1,0,25,1,1,2,0,0,3,0,1,35,1,1,37,1,1,16,1,0,17,1,1,22,1,0,23,1,1,7,1,1,19,1,1,21,0,1,34,1,0,4,0,0,15,1,1,28,1,0,39,0,1,20,0,0,22,0,0,23,1,1,27,0,1,12,0,0,15,1,1,32,1,0,38,1,0,11,1,1,18,0,0,33,1,1,39,1,1,21,1,1,32,0,0,33,0,1,24,0,0,27,1,1,29,0,1,32,1,0,30,1,0,31,0,1,31,1,1,25,0,1,26,1,0,37,0,1,37,1,1,29,1,1,30,0,0,35,0,1,38,1,0,34,1,0,35,1,1,36,1,0}	{6,6,6,6,13,13,13,13,14,14,14,14,18,18,18,18,5,5,5,5,20,20,20,20,3,3,3,3,17,17,17,17,10,10,10,10,0,0,0,19,19,19,19,11,11,11,11,16,16,16,16,4,4,4,4,22,22,22,22,12,12,12,12,1,1,1,1,7,7,7,7,15,15,15,21,21,21,21,9,9,9,2,2,2,2,8,8,8,8,23,23,23}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,71,72,73,74,75,76,77,78,78,79,80,81,82,83,84,85,86,87,88,89,90,91,91}	{1,2,0,0,0,2,3,1,1,1,0,0,3,2,3,1,1,0,1,0,0,1,3,1,0,1,2,1,3,3,0,2,0,1,3,1,2,0,0,2,2,0,1,0,1,2,3,0,1,3,1,3,2,0,2,2,1,0,3,2,1,2,3,3,1,3,1,2,1,0,1,0,3,3,2,1,0,1,0,1,2,2,0,1,3,3,1,2,0,1,1,3,1,2,3}	{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}
6	{0,1,0,1,0,1,1,1,1,2,0,0,2,1,0,3,0,1,3,1,1,4,0,0,4,1,0,5,0,1,5,1,1,6,0,0,6,1,0,7,0,1,7,1,1,8,0,0,8,1,0,9,0,1,9,1,1,10,0,0,10,1,0,11,0,1,11,1,1,12,0,0,12,1,0,13,1,1,14,0,0,14,1,0,15,1,1,16,0,0,16,1,0,17,1,1,18,0,0,18,1,0,19,1,1,20,0,0,20,1,0,21,0,1,21,1,1,22,0,0,22,1,0,23,0,1,23,1,1,24,0,0,24,1,0,25,0,1,25,1,1,26,0,0,26,1,0,27,0,1,27,1,1,28,0,0,28,1,0,29,0,1,29,1,1,30,0,0,30,1,0,31,0,1,31,1,1,32,0,0,32,1,0,33,0,1,33,1,1,34,1,0,35,0,1,35,1,1,36,1,0,37,0,1,37,1,1,38,1,0,39,0,1,39,1,1}	{5,4,4,5,5,4,4,5,5,4,4,5,5,4,4,5,5,4,4,1,1,0,0,1,1,0,1,1,0,1,1,0,1,1,0,7,7,6,6,7,7,6,6,7,7,6,6,7,7,6,6,7,7,6,6,3,3,2,2,3,3,2,2,3,2,2,3,2,2,3,2,2}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,27,28,29,30,30,31,31,32,33,33,34,34,35,36,37,38,38,39,40,41,42,42,43,44,45,46,46,47,48,49,50,51,52,52,53,54,55,56,56,57,58,59,60,60,61,62,63,63,64,65,65,66,66,67,68,68,69,70,71}	{1,0,0,0,1,1,1,2,2,0,0,0,0,3,3,0,0,2,2,1,1,3,2,3,3,1,3,1,3,1,0,0,2,0,1,1,1,2,2,3,2,0,0,0,3,1,3,0,1,2,1,2,1,0,1,0,3,3,0,1,0,1,1,2,0,1,2,2,0,3,0,3,2,0,2,3,1,1,2,2,3,3,1,3,1,3,1}	{2,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,2,1,1,1,2,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1}
7	{0,0,1,1,2,2,3,3,4,0,5,1,6,2,7,3,8,0,9,1,10,2,11,3,12,0,13,1,14,2,15,3,16,0,17,1,18,2,19,3,20,0,21,1,22,2,23,3}	{5,4,1,2,5,4,1,2,5,4,1,2,0,6,7,3,0,6,7,3,0,6,7,3}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23}	{0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1}	{3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3}
8	{0,1,2,3,4,5,6,7,8}	{2,2,4,1,5,0,3,7,6}	{0,0,1,1,1,2,2,2,3,3,3,4,4,4,5,5,5,6,6,6,7,7,7,8,8,8}	{1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2}	{1,2,2,4,3,2,4,3,1,3,5,3,4,2,1,3,5,2,4,3,2,4,3,1,2,3}
9	{0,1,2,3,4,5,6,7,8}	{0,0,3,1,2,4,6,5,7}	{0,0,1,1,1,2,2,2,3,3,3,4,4,4,5,5,5,6,6,6,7,7,7,8,8,8}	{1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2}	{1,2,2,4,3,2,4,3,1,3,5,4,4,2,1,3,5,2,4,3,2,4,3,1,2,3}
\.


--
-- Data for Name: release_event; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_event (event, release, kind, reason, at, by) FROM stdin;
1	1	superseded	release 2 took its place in ward.patients	2026-11-22 07:58:31.971784+00	postgres
2	3	withdrawn	a patient objected	2026-11-22 07:58:32.077143+00	postgres
3	8	stale	INSERT on ward.person	2026-11-22 07:58:32.207999+00	postgres
\.


--
-- Data for Name: release_respondent; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_respondent (release, respondents, group_ids) FROM stdin;
8	{1,10,11,12,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,28,29,3,30,31,32,33,34,35,36,37,38,39,4,40,41,42,43,44,45,46,47,48,49,5,50,51,52,53,54,55,56,57,58,59,6,60,61,62,63,64,65,66,67,68,69,7,70,71,72,8,9}	{2,5,5,5,0,0,0,3,3,3,7,2,7,7,6,6,2,2,2,2,4,4,2,4,1,1,1,5,5,5,0,0,0,4,3,3,3,7,7,7,6,6,2,2,4,2,2,4,4,4,1,1,1,5,5,4,5,0,0,0,3,3,3,7,7,7,1,6,6,2,1,1}
9	{1,10,11,12,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,28,29,3,30,31,32,33,34,35,36,37,38,39,4,40,41,42,43,44,45,46,47,48,49,5,50,51,52,53,54,55,56,57,58,59,6,60,61,62,63,64,65,66,67,68,69,7,70,71,72,73,8,9}	{0,2,2,2,4,4,4,6,6,6,5,0,5,5,7,7,0,0,0,0,3,3,0,3,1,1,1,2,2,2,4,4,4,3,6,6,6,5,5,5,7,7,0,0,3,0,0,3,3,3,1,1,1,2,2,3,2,4,4,4,6,6,6,5,5,5,1,7,7,0,2,1,1}
\.


--
-- Data for Name: watched; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.watched (token, at) FROM stdin;
258a046b-1f0b-4593-9699-ae9427d9d458	2026-11-22 07:58:32.135695+00
1180b1be-beaf-4fc2-9556-2a2f07ce14b8	2026-11-22 07:58:32.157983+00
81c4fbf4-1bb3-48aa-95c7-f1f5d4bafc98	2026-11-22 07:58:32.209734+00
\.


--
-- Data for Name: release_1; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_1 (age, sex, city, disease) FROM stdin;
[41,48)	m	Brix	asthma
[21,32)	f	Brix	ulcer
[21,32)	f	Brix	ulcer
[40,53)	f	Aln	ulcer
[30,35)	m	Aln	flu
[41,48)	m	Brix	asthma
[49,60)	m	Brix	asthma
[30,35)	m	Aln	ulcer
[41,48)	m	Brix	flu
[20,29)	m	Aln	flu
[41,50)	f	Brix	ulcer
[41,48)	m	Brix	flu
[20,29)	m	Aln	flu
[21,32)	f	Brix	asthma
[52,55)	m	Aln	ulcer
[48,51)	m	Aln	flu
[20,29)	m	Aln	asthma
[30,39)	f	Aln	flu
[33,40)	m	Brix	fracture
[30,39)	f	Aln	ulcer
[51,60)	f	Brix	fracture
[40,53)	f	Aln	fracture
[49,60)	m	Brix	flu
[33,40)	m	Brix	asthma
[49,60)	m	Brix	ulcer
[56,59)	m	Aln	ulcer
[33,40)	m	Brix	flu
[20,29)	m	Aln	fracture
[40,47)	m	Aln	ulcer
[21,32)	f	Brix	flu
[40,47)	m	Aln	asthma
[22,29)	f	Aln	asthma
[20,29)	m	Aln	fracture
[40,47)	m	Aln	ulcer
[30,35)	m	Aln	ulcer
[49,60)	m	Brix	fracture
[51,60)	f	Brix	ulcer
[49,60)	m	Brix	flu
[49,60)	m	Brix	asthma
[49,60)	m	Brix	flu
[48,51)	m	Aln	fracture
[20,29)	m	Aln	flu
[33,40)	m	Brix	flu
[30,39)	f	Aln	asthma
[21,32)	m	Brix	flu
[52,55)	m	Aln	asthma
[52,55)	m	Aln	fracture
[20,29)	m	Aln	asthma
[33,40)	m	Brix	flu
[56,59)	m	Aln	flu
[48,51)	m	Aln	flu
[20,29)	m	Aln	flu
[21,32)	m	Brix	ulcer
[51,60)	f	Brix	fracture
[51,60)	f	Brix	ulcer
[40,53)	f	Aln	flu
[33,40)	m	Brix	ulcer
[36,39)	m	Aln	fracture
[21,32)	m	Brix	fracture
[21,32)	m	Brix	fracture
[41,50)	f	Brix	asthma
[49,60)	m	Brix	fracture
[21,32)	f	Brix	fracture
[21,32)	m	Brix	asthma
[36,39)	m	Aln	fracture
[41,50)	f	Brix	asthma
[40,53)	f	Aln	flu
[21,32)	f	Brix	asthma
[22,29)	f	Aln	asthma
[40,47)	m	Aln	fracture
[22,29)	f	Aln	asthma
[41,48)	m	Brix	fracture
[21,32)	m	Brix	fracture
[40,53)	f	Aln	asthma
[52,55)	m	Aln	ulcer
[41,50)	f	Brix	flu
[30,39)	f	Aln	ulcer
[41,50)	f	Brix	flu
[33,40)	m	Brix	flu
[40,53)	f	Aln	flu
[22,29)	f	Aln	fracture
[51,60)	f	Brix	flu
[21,32)	m	Brix	ulcer
[41,48)	m	Brix	asthma
[56,59)	m	Aln	flu
[36,39)	m	Aln	asthma
[36,39)	m	Aln	flu
[41,48)	m	Brix	ulcer
[56,59)	m	Aln	fracture
[30,39)	f	Aln	flu
[48,51)	m	Aln	asthma
[33,40)	m	Brix	flu
[21,32)	m	Brix	asthma
[21,32)	m	Brix	fracture
[40,53)	f	Aln	asthma
[30,35)	m	Aln	flu
\.


--
-- Data for Name: release_2; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_2 (age, sex, city, disease) FROM stdin;
[30,39)	m	Aln	ulcer
[40,47)	m	Aln	ulcer
[22,39)	f	Aln	ulcer
[56,59)	m	Aln	flu
[22,39)	f	Aln	asthma
[41,48)	m	Brix	ulcer
[21,32)	m	Brix	fracture
[41,48)	m	Brix	flu
[40,53)	f	Aln	ulcer
[21,32)	f	Brix	ulcer
[30,39)	m	Aln	flu
[40,53)	f	Aln	flu
[33,40)	m	Brix	flu
[41,50)	f	Brix	flu
[40,53)	f	Aln	fracture
[49,60)	m	Brix	ulcer
[22,39)	f	Aln	ulcer
[48,51)	m	Aln	asthma
[40,53)	f	Aln	flu
[20,29)	m	Aln	fracture
[40,53)	f	Aln	flu
[33,40)	m	Brix	flu
[21,32)	m	Brix	ulcer
[41,48)	m	Brix	asthma
[30,39)	m	Aln	fracture
[48,51)	m	Aln	fracture
[20,29)	m	Aln	asthma
[22,39)	f	Aln	asthma
[22,39)	f	Aln	fracture
[41,50)	f	Brix	flu
[51,60)	f	Brix	ulcer
[52,55)	m	Aln	ulcer
[51,60)	f	Brix	ulcer
[41,50)	f	Brix	asthma
[49,60)	m	Brix	fracture
[51,60)	f	Brix	fracture
[21,32)	f	Brix	asthma
[40,47)	m	Aln	asthma
[33,40)	m	Brix	asthma
[52,55)	m	Aln	ulcer
[21,32)	m	Brix	fracture
[22,39)	f	Aln	asthma
[56,59)	m	Aln	ulcer
[22,39)	f	Aln	flu
[22,39)	f	Aln	asthma
[21,32)	m	Brix	ulcer
[40,53)	f	Aln	asthma
[40,53)	f	Aln	asthma
[52,55)	m	Aln	fracture
[49,60)	m	Brix	asthma
[20,29)	m	Aln	flu
[40,47)	m	Aln	fracture
[21,32)	m	Brix	fracture
[33,40)	m	Brix	flu
[40,47)	m	Aln	ulcer
[21,32)	m	Brix	asthma
[49,60)	m	Brix	flu
[41,48)	m	Brix	asthma
[49,60)	m	Brix	fracture
[20,29)	m	Aln	asthma
[49,60)	m	Brix	flu
[21,32)	m	Brix	fracture
[48,51)	m	Aln	flu
[30,39)	m	Aln	ulcer
[56,59)	m	Aln	fracture
[33,40)	m	Brix	ulcer
[49,60)	m	Brix	flu
[41,48)	m	Brix	fracture
[21,32)	m	Brix	flu
[20,29)	m	Aln	fracture
[41,50)	f	Brix	asthma
[30,39)	m	Aln	flu
[56,59)	m	Aln	flu
[33,40)	m	Brix	flu
[52,55)	m	Aln	asthma
[41,48)	m	Brix	asthma
[20,29)	m	Aln	flu
[51,60)	f	Brix	flu
[22,39)	f	Aln	flu
[33,40)	m	Brix	fracture
[41,48)	m	Brix	flu
[30,39)	m	Aln	asthma
[20,29)	m	Aln	flu
[21,32)	f	Brix	flu
[21,32)	m	Brix	asthma
[21,32)	f	Brix	ulcer
[33,40)	m	Brix	flu
[30,39)	m	Aln	flu
[21,32)	f	Brix	asthma
[21,32)	f	Brix	fracture
[41,50)	f	Brix	ulcer
[20,29)	m	Aln	flu
[48,51)	m	Aln	flu
[30,39)	m	Aln	fracture
[49,60)	m	Brix	asthma
[51,60)	f	Brix	fracture
\.


--
-- Data for Name: release_4; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_4 (age, sex, city, group_id, disease) FROM stdin;
37	m	Brix	12	flu
50	m	Aln	16	asthma
43	m	Brix	5	flu
30	f	Aln	13	asthma
24	m	Aln	8	fracture
42	f	Aln	0	flu
36	m	Aln	11	fracture
58	m	Aln	6	ulcer
22	m	Aln	8	fracture
45	f	Brix	7	ulcer
27	f	Brix	15	ulcer
36	f	Aln	13	flu
52	f	Aln	0	fracture
25	m	Brix	14	fracture
40	f	Aln	0	flu
49	f	Brix	7	asthma
47	m	Brix	5	asthma
50	f	Aln	0	asthma
58	m	Aln	6	fracture
38	m	Aln	11	asthma
32	m	Aln	10	flu
56	m	Aln	6	flu
54	m	Aln	3	ulcer
52	m	Aln	3	fracture
44	f	Aln	0	ulcer
39	m	Brix	12	fracture
24	m	Aln	8	asthma
57	m	Brix	9	asthma
29	m	Brix	14	asthma
53	f	Brix	1	fracture
41	m	Brix	5	ulcer
34	m	Aln	10	flu
56	m	Aln	6	flu
40	m	Aln	2	fracture
21	f	Brix	15	flu
24	f	Aln	4	asthma
43	f	Brix	7	asthma
31	f	Brix	15	ulcer
20	m	Aln	8	flu
22	f	Aln	4	fracture
23	m	Brix	14	fracture
57	f	Brix	1	fracture
25	f	Brix	15	asthma
45	m	Brix	5	flu
48	m	Aln	16	flu
47	f	Brix	7	flu
26	m	Aln	8	flu
37	m	Brix	12	flu
38	m	Aln	11	flu
46	m	Aln	2	ulcer
55	f	Brix	1	flu
27	m	Brix	14	ulcer
46	f	Aln	0	asthma
31	m	Brix	14	asthma
28	f	Aln	4	asthma
44	m	Aln	2	ulcer
28	m	Aln	8	asthma
31	m	Brix	14	fracture
34	m	Aln	10	ulcer
49	m	Brix	9	asthma
27	m	Brix	14	ulcer
59	m	Brix	9	flu
35	m	Brix	12	flu
20	m	Aln	8	flu
23	f	Brix	15	fracture
29	f	Brix	15	asthma
53	m	Brix	9	fracture
21	m	Brix	14	flu
22	m	Aln	8	flu
26	f	Aln	4	asthma
36	m	Aln	11	fracture
33	m	Brix	12	ulcer
29	m	Brix	14	fracture
30	m	Aln	10	ulcer
43	m	Brix	5	asthma
55	m	Brix	9	fracture
45	m	Brix	5	asthma
38	f	Aln	13	ulcer
32	f	Aln	13	flu
59	f	Brix	1	ulcer
51	f	Brix	1	ulcer
51	m	Brix	9	ulcer
52	m	Aln	3	ulcer
35	m	Brix	12	flu
55	m	Brix	9	flu
48	m	Aln	16	fracture
57	m	Brix	9	flu
54	m	Aln	3	asthma
41	f	Brix	7	flu
33	m	Brix	12	asthma
41	m	Brix	5	fracture
50	m	Aln	16	flu
48	f	Aln	0	flu
42	m	Aln	2	asthma
39	m	Brix	12	flu
34	f	Aln	13	ulcer
\.


--
-- Data for Name: release_4_sensitive; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_4_sensitive (group_id, disease, count) FROM stdin;
5	ulcer	1
13	ulcer	2
12	fracture	1
1	ulcer	2
7	ulcer	1
8	flu	4
6	fracture	1
7	flu	2
12	asthma	1
10	flu	2
7	asthma	2
14	ulcer	2
13	flu	2
9	flu	3
3	asthma	1
5	asthma	3
3	ulcer	2
9	ulcer	1
10	ulcer	2
0	asthma	2
11	asthma	1
2	asthma	1
13	asthma	1
15	ulcer	2
14	fracture	4
0	fracture	1
14	flu	1
2	fracture	1
9	asthma	2
3	fracture	1
16	flu	2
16	asthma	1
15	fracture	1
4	asthma	3
8	asthma	2
5	fracture	1
16	fracture	1
6	flu	2
15	flu	1
6	ulcer	1
15	asthma	2
0	flu	3
11	flu	1
11	fracture	2
14	asthma	2
4	fracture	1
8	fracture	2
1	flu	1
9	fracture	2
12	ulcer	1
0	ulcer	1
5	flu	2
1	fracture	2
12	flu	5
2	ulcer	2
\.


--
-- Data for Name: release_5; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_5 (age, sex, city, group_id) FROM stdin;
57	m	Brix	11
48	f	Aln	3
41	m	Brix	15
31	m	Brix	19
23	m	Brix	14
24	m	Aln	6
46	f	Aln	0
52	f	Aln	15
55	m	Brix	23
56	m	Aln	23
41	f	Brix	4
43	f	Brix	5
23	f	Brix	11
24	m	Aln	13
38	m	Aln	20
55	f	Brix	8
32	m	Aln	17
20	m	Aln	14
35	m	Brix	1
36	m	Aln	19
53	f	Brix	15
40	m	Aln	19
33	m	Brix	18
39	m	Brix	4
43	m	Brix	12
34	m	Aln	17
30	f	Aln	20
26	m	Aln	20
32	f	Aln	1
47	m	Brix	21
28	m	Aln	14
50	f	Aln	8
55	m	Brix	11
58	m	Aln	8
42	m	Aln	16
21	f	Brix	3
36	f	Aln	14
27	m	Brix	4
28	f	Aln	5
22	f	Aln	11
31	f	Brix	18
42	f	Aln	12
58	m	Aln	1
39	m	Brix	10
41	m	Brix	15
50	m	Aln	9
52	m	Aln	21
54	m	Aln	23
49	f	Brix	21
26	f	Aln	10
33	m	Brix	10
43	m	Brix	16
22	m	Aln	3
20	m	Aln	5
35	m	Brix	22
21	m	Brix	13
51	f	Brix	9
57	f	Brix	2
30	m	Aln	13
59	f	Brix	22
54	m	Aln	4
53	m	Brix	7
56	m	Aln	23
40	f	Aln	12
57	m	Brix	2
47	f	Brix	12
31	m	Brix	7
46	m	Aln	2
45	m	Brix	0
34	f	Aln	20
29	m	Brix	0
50	m	Aln	9
59	m	Brix	7
25	f	Brix	6
51	m	Brix	9
48	m	Aln	22
34	m	Aln	5
27	m	Brix	18
45	m	Brix	19
44	m	Aln	3
36	m	Aln	16
38	m	Aln	17
52	m	Aln	1
27	f	Brix	13
48	m	Aln	10
22	m	Aln	6
49	m	Brix	8
44	f	Aln	21
29	m	Brix	0
45	f	Brix	2
37	m	Brix	16
29	f	Brix	18
24	f	Aln	22
25	m	Brix	6
37	m	Brix	17
38	f	Aln	7
\.


--
-- Data for Name: release_5_sensitive; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_5_sensitive (group_id, disease, count) FROM stdin;
14	flu	2
15	asthma	1
22	flu	1
18	ulcer	2
7	fracture	1
18	fracture	1
21	flu	2
1	ulcer	2
8	flu	2
9	flu	1
13	asthma	1
11	fracture	1
17	ulcer	2
16	ulcer	1
20	flu	2
1	flu	2
12	flu	1
11	flu	1
14	asthma	2
13	flu	1
17	asthma	1
18	flu	1
16	asthma	1
21	asthma	2
15	ulcer	2
8	fracture	1
11	ulcer	1
4	fracture	2
22	asthma	1
13	fracture	1
0	asthma	2
10	flu	2
8	asthma	1
2	flu	2
2	ulcer	2
23	ulcer	2
9	asthma	1
22	ulcer	1
15	fracture	1
12	fracture	2
20	ulcer	1
7	asthma	1
23	fracture	1
10	asthma	1
0	fracture	2
11	asthma	1
19	flu	1
7	flu	2
4	ulcer	1
4	asthma	1
6	flu	1
9	fracture	2
20	asthma	1
16	flu	2
19	asthma	1
13	ulcer	1
12	ulcer	1
22	fracture	1
6	fracture	1
23	flu	1
5	flu	2
17	fracture	1
3	fracture	1
19	fracture	2
6	asthma	2
5	asthma	2
3	asthma	1
10	ulcer	1
3	flu	2
\.


--
-- Data for Name: release_6; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_6 (age, sex, city, disease) FROM stdin;
[20,30)	*	Aln	fracture
[40,50)	*	Aln	flu
[40,50)	*	Aln	asthma
[40,50)	*	Aln	fracture
[30,40)	*	Aln	fracture
[30,40)	*	Aln	flu
[20,30)	*	Brix	asthma
[30,40)	*	Brix	ulcer
[30,40)	*	Brix	asthma
[50,60)	*	Aln	fracture
[30,40)	*	Brix	fracture
[40,50)	*	Brix	asthma
[50,60)	*	Brix	asthma
[40,50)	*	Aln	asthma
[20,30)	*	Brix	flu
[40,50)	*	Aln	flu
[40,50)	*	Aln	fracture
[30,40)	*	Aln	ulcer
[30,40)	*	Brix	ulcer
[40,50)	*	Brix	flu
[20,30)	*	Brix	flu
[40,50)	*	Brix	flu
[30,40)	*	Brix	flu
[20,30)	*	Brix	ulcer
[40,50)	*	Brix	flu
[50,60)	*	Brix	fracture
[30,40)	*	Brix	flu
[30,40)	*	Brix	fracture
[50,60)	*	Aln	ulcer
[50,60)	*	Brix	flu
[50,60)	*	Brix	fracture
[30,40)	*	Brix	fracture
[20,30)	*	Aln	flu
[50,60)	*	Aln	asthma
[20,30)	*	Brix	fracture
[40,50)	*	Brix	ulcer
[30,40)	*	Aln	ulcer
[20,30)	*	Aln	asthma
[40,50)	*	Aln	ulcer
[30,40)	*	Aln	ulcer
[40,50)	*	Brix	fracture
[50,60)	*	Brix	ulcer
[50,60)	*	Brix	asthma
[50,60)	*	Brix	fracture
[40,50)	*	Brix	asthma
[40,50)	*	Aln	ulcer
[20,30)	*	Brix	fracture
[20,30)	*	Aln	asthma
[50,60)	*	Aln	asthma
[20,30)	*	Aln	asthma
[30,40)	*	Aln	ulcer
[30,40)	*	Aln	flu
[40,50)	*	Aln	flu
[20,30)	*	Brix	ulcer
[30,40)	*	Aln	flu
[50,60)	*	Aln	flu
[40,50)	*	Brix	asthma
[50,60)	*	Brix	flu
[50,60)	*	Brix	ulcer
[50,60)	*	Aln	flu
[50,60)	*	Brix	flu
[20,30)	*	Aln	asthma
[30,40)	*	Aln	flu
[40,50)	*	Brix	asthma
[50,60)	*	Brix	ulcer
[30,40)	*	Aln	asthma
[20,30)	*	Aln	flu
[40,50)	*	Brix	asthma
[30,40)	*	Brix	flu
[50,60)	*	Brix	flu
[40,50)	*	Brix	flu
[30,40)	*	Aln	flu
[50,60)	*	Aln	fracture
[20,30)	*	Aln	asthma
[30,40)	*	Brix	flu
[30,40)	*	Aln	asthma
[20,30)	*	Brix	ulcer
[50,60)	*	Aln	flu
[50,60)	*	Aln	ulcer
[40,50)	*	Brix	fracture
[20,30)	*	Brix	asthma
[50,60)	*	Aln	ulcer
[20,30)	*	Aln	flu
[20,30)	*	Brix	fracture
[30,40)	*	Brix	flu
[20,30)	*	Brix	asthma
[20,30)	*	Aln	fracture
[40,50)	*	Aln	asthma
[50,60)	*	Aln	fracture
[50,60)	*	Aln	ulcer
[40,50)	*	Brix	ulcer
[20,30)	*	Aln	flu
[20,30)	*	Brix	asthma
[40,50)	*	Aln	flu
[30,40)	*	Aln	fracture
[20,30)	*	Aln	fracture
\.


--
-- Data for Name: release_7; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_7 (age, unit, stage) FROM stdin;
[22,31)	C	grave
[33,42)	B	mild
[32,41)	A	grave
[33,42)	B	grave
[35,44)	D	mild
[20,29)	A	grave
[20,29)	A	mild
[21,30)	B	mild
[35,44)	D	mild
[32,41)	A	mild
[32,41)	A	grave
[32,41)	A	grave
[22,31)	C	grave
[34,43)	C	grave
[35,44)	D	grave
[32,41)	A	mild
[21,30)	B	grave
[35,44)	D	grave
[21,30)	B	mild
[33,42)	B	grave
[35,44)	D	mild
[34,43)	C	mild
[22,31)	C	grave
[35,44)	D	grave
[32,41)	A	mild
[34,43)	C	mild
[35,44)	D	grave
[20,29)	A	grave
[22,31)	C	grave
[20,29)	A	mild
[23,32)	D	mild
[34,43)	C	grave
[20,29)	A	grave
[23,32)	D	grave
[23,32)	D	grave
[34,43)	C	grave
[22,31)	C	mild
[34,43)	C	mild
[21,30)	B	grave
[23,32)	D	grave
[22,31)	C	mild
[20,29)	A	grave
[22,31)	C	grave
[33,42)	B	grave
[33,42)	B	grave
[23,32)	D	mild
[21,30)	B	grave
[23,32)	D	grave
[34,43)	C	grave
[35,44)	D	grave
[22,31)	C	mild
[21,30)	B	grave
[23,32)	D	mild
[22,31)	C	grave
[34,43)	C	grave
[33,42)	B	grave
[21,30)	B	grave
[33,42)	B	mild
[32,41)	A	grave
[34,43)	C	grave
[21,30)	B	grave
[32,41)	A	grave
[33,42)	B	mild
[20,29)	A	mild
[32,41)	A	grave
[20,29)	A	grave
[21,30)	B	mild
[23,32)	D	grave
[35,44)	D	grave
[20,29)	A	grave
[23,32)	D	grave
[33,42)	B	grave
\.


--
-- Data for Name: release_8; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_8 (age, unit) FROM stdin;
[24,27)	B
[24,27)	B
[39,42)	B
[39,42)	A
[33,36)	E
[27,30)	E
[27,30)	B
[27,30)	E
[39,42)	A
[42,45)	E
[18,24)	E
[30,33)	B
[39,42)	B
[42,45)	A
[42,45)	E
[24,27)	E
[18,24)	E
[24,27)	E
[30,33)	B
[18,24)	B
[18,24)	B
[33,36)	E
[36,39)	E
[36,39)	E
[30,33)	E
[36,39)	B
[33,36)	E
[27,30)	B
[18,24)	B
[36,39)	A
[42,45)	B
[39,42)	B
[18,24)	E
[30,33)	A
[30,33)	A
[39,42)	B
[27,30)	E
[24,27)	A
[36,39)	E
[30,33)	E
[27,30)	E
[27,30)	A
[30,33)	A
[18,24)	A
[36,39)	A
[27,30)	B
[24,27)	E
[33,36)	E
[36,39)	B
[39,42)	E
[30,33)	B
[39,42)	E
[18,24)	E
[24,27)	B
[18,24)	B
[42,45)	E
[30,33)	B
[33,36)	B
[24,27)	B
[18,24)	B
[39,42)	E
[33,36)	E
[36,39)	B
[33,36)	A
[42,45)	B
[27,30)	E
[18,24)	A
[24,27)	A
[18,24)	E
[33,36)	B
[33,36)	B
[36,39)	B
\.


--
-- Data for Name: release_9; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_9 (age, unit) FROM stdin;
[18,24)	E
[30,33)	A
[39,42)	B
[30,33)	A
[39,42)	A
[39,42)	B
[27,30)	E
[27,30)	E
[30,33)	B
[36,39)	B
[36,39)	B
[39,42)	B
[39,42)	E
[18,24)	B
[24,27)	A
[33,36)	E
[33,36)	A
[30,33)	B
[27,30)	B
[36,39)	B
[18,24)	A
[18,24)	E
[33,36)	E
[24,27)	E
[18,24)	B
[42,45)	E
[39,42)	E
[18,24)	E
[24,27)	A
[30,33)	B
[18,24)	A
[33,36)	E
[18,24)	B
[27,30)	E
[42,45)	E
[18,24)	E
[42,45)	B
[36,39)	E
[36,39)	E
[33,36)	B
[18,24)	B
[42,45)	B
[24,27)	B
[18,24)	B
[24,27)	B
[27,30)	A
[27,30)	B
[33,36)	B
[27,30)	B
[24,27)	E
[42,45)	E
[36,39)	A
[18,24)	E
[27,30)	E
[30,33)	A
[27,30)	E
[39,42)	B
[33,36)	E
[30,33)	E
[30,33)	E
[30,33)	A
[39,42)	E
[36,39)	A
[24,27)	B
[24,27)	E
[33,36)	B
[42,45)	A
[36,39)	B
[30,33)	B
[36,39)	E
[33,36)	E
[39,42)	A
[24,27)	B
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

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_1 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_2 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_2 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_4 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_4 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_4_sensitive guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_4_sensitive FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_5 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_5 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_5_sensitive guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_5_sensitive FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_6 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_6 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_7 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_7 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_8 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_8 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_9 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_9 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: case bkpriv_watch; Type: TRIGGER; Schema: ward; Owner: postgres
--

CREATE TRIGGER bkpriv_watch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON ward."case" FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale('1180b1be-beaf-4fc2-9556-2a2f07ce14b8');

ALTER TABLE ward."case" ENABLE ALWAYS TRIGGER bkpriv_watch;


--
-- Name: patient bkpriv_watch; Type: TRIGGER; Schema: ward; Owner: postgres
--

CREATE TRIGGER bkpriv_watch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON ward.patient FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale('258a046b-1f0b-4593-9699-ae9427d9d458');

ALTER TABLE ward.patient ENABLE ALWAYS TRIGGER bkpriv_watch;


--
-- Name: person bkpriv_watch; Type: TRIGGER; Schema: ward; Owner: postgres
--

CREATE TRIGGER bkpriv_watch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON ward.person FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale('81c4fbf4-1bb3-48aa-95c7-f1f5d4bafc98');

ALTER TABLE ward.person ENABLE ALWAYS TRIGGER bkpriv_watch;


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
-- Name: FUNCTION auditor(); Type: ACL; Schema: bkpriv_internal; Owner: postgres
--

GRANT ALL ON FUNCTION bkpriv_internal.auditor() TO upgrade_auditor;
GRANT ALL ON FUNCTION bkpriv_internal.auditor() TO upgrade_both;


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

GRANT SELECT ON TABLE ward.person TO upgrade_publisher;


--
-- Name: cases; Type: MATERIALIZED VIEW DATA; Schema: ward; Owner: postgres
--

REFRESH MATERIALIZED VIEW ward.cases;


--
-- PostgreSQL database dump complete
--


