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
-- Name: release_10; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_10 (
    age integer,
    unit text,
    stage text
);


ALTER TABLE bkpriv_release.release_10 OWNER TO postgres;

--
-- Name: release_10_randomization; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_10_randomization (
    attribute text,
    value text,
    retention double precision,
    flip_probability double precision
);


ALTER TABLE bkpriv_release.release_10_randomization OWNER TO postgres;

--
-- Name: release_11; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_11 (
    age int4range,
    sex text,
    diagnosis text,
    treatment text,
    nights integer
);


ALTER TABLE bkpriv_release.release_11 OWNER TO postgres;

--
-- Name: release_12; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_12 (
    age int4range,
    sex text,
    diagnosis text,
    treatment text,
    nights integer
);


ALTER TABLE bkpriv_release.release_12 OWNER TO postgres;

--
-- Name: release_13; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_13 (
    age int4range,
    unit text
);


ALTER TABLE bkpriv_release.release_13 OWNER TO postgres;

--
-- Name: release_14; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_14 (
    age int4range,
    unit text
);


ALTER TABLE bkpriv_release.release_14 OWNER TO postgres;

--
-- Name: release_15; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_15 (
    age int4range,
    unit text
);


ALTER TABLE bkpriv_release.release_15 OWNER TO postgres;

--
-- Name: release_16; Type: TABLE; Schema: bkpriv_release; Owner: postgres
--

CREATE TABLE bkpriv_release.release_16 (
    age int4range,
    unit text,
    stage text
);


ALTER TABLE bkpriv_release.release_16 OWNER TO postgres;

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
-- Name: again; Type: VIEW; Schema: ward; Owner: postgres
--

CREATE VIEW ward.again WITH (security_barrier='true') AS
 SELECT release_15.age,
    release_15.unit
   FROM bkpriv_release.release_15;


ALTER TABLE ward.again OWNER TO postgres;

--
-- Name: VIEW again; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON VIEW ward.again IS 'Published by bkpriv as release 15. One row for each record that is published. The records of a group have its quasi-identifiers, which are true of all of them, and nothing tells whose row is whose.';


--
-- Name: COLUMN again.age; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.again.age IS 'Quasi-identifier of the row''s group: a range with all values; NULL where values are missing, and without bounds where some are';


--
-- Name: COLUMN again.unit; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.again.unit IS 'Sensitive value of the row''s record: as in the source';


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
-- Name: VIEW anatomy; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON VIEW ward.anatomy IS 'Published by bkpriv as release 5. One row for each record that is published, with its own quasi-identifiers, and its group. Which records of a group have which of its sensitive values, nothing tells.';


--
-- Name: COLUMN anatomy.age; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.anatomy.age IS 'Quasi-identifier of the row''s record: as in the source';


--
-- Name: COLUMN anatomy.sex; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.anatomy.sex IS 'Quasi-identifier of the row''s record: as in the source';


--
-- Name: COLUMN anatomy.city; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.anatomy.city IS 'Quasi-identifier of the row''s record: as in the source';


--
-- Name: COLUMN anatomy.group_id; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.anatomy.group_id IS 'Number of the row''s group, by lot';


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
-- Name: VIEW anatomy_sensitive; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON VIEW ward.anatomy_sensitive IS 'Published by bkpriv as release 5. One row for each group of records and each sensitive value in it.';


--
-- Name: COLUMN anatomy_sensitive.group_id; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.anatomy_sensitive.group_id IS 'Number of a group, as its records have it';


--
-- Name: COLUMN anatomy_sensitive.disease; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.anatomy_sensitive.disease IS 'Sensitive value that records of the group have: as in the source';


--
-- Name: COLUMN anatomy_sensitive.count; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.anatomy_sensitive.count IS 'How many of them have it';


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
-- Name: VIEW buckets; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON VIEW ward.buckets IS 'Published by bkpriv as release 4. One row for each record that is published, with its own quasi-identifiers, and its group. Which records of a group have which of its sensitive values, nothing tells.';


--
-- Name: COLUMN buckets.age; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.buckets.age IS 'Quasi-identifier of the row''s record: as in the source';


--
-- Name: COLUMN buckets.sex; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.buckets.sex IS 'Quasi-identifier of the row''s record: as in the source';


--
-- Name: COLUMN buckets.city; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.buckets.city IS 'Quasi-identifier of the row''s record: as in the source';


--
-- Name: COLUMN buckets.group_id; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.buckets.group_id IS 'Number of the row''s group, by lot';


--
-- Name: COLUMN buckets.disease; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.buckets.disease IS 'Sensitive value of a record of the group, dealt to its rows by lot: as in the source';


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
-- Name: VIEW buckets_sensitive; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON VIEW ward.buckets_sensitive IS 'Published by bkpriv as release 4. One row for each group of records and each sensitive value in it.';


--
-- Name: COLUMN buckets_sensitive.group_id; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.buckets_sensitive.group_id IS 'Number of a group, as its records have it';


--
-- Name: COLUMN buckets_sensitive.disease; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.buckets_sensitive.disease IS 'Sensitive value that records of the group have: as in the source';


--
-- Name: COLUMN buckets_sensitive.count; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.buckets_sensitive.count IS 'How many of them have it';


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
-- Name: MATERIALIZED VIEW cases; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON MATERIALIZED VIEW ward.cases IS 'Published by bkpriv as release 7. One row for each record that is published. The records of a group have its quasi-identifiers, which are true of all of them, and nothing tells whose row is whose.';


--
-- Name: COLUMN cases.age; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.cases.age IS 'Quasi-identifier of the row''s group: a range with all values; NULL where values are missing, and without bounds where some are';


--
-- Name: COLUMN cases.unit; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.cases.unit IS 'Quasi-identifier of the row''s group: a value, or a label that stands for several, * for any';


--
-- Name: COLUMN cases.stage; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.cases.stage IS 'Sensitive value of the row''s record: as in the source';


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
-- Name: drawn; Type: VIEW; Schema: ward; Owner: postgres
--

CREATE VIEW ward.drawn WITH (security_barrier='true') AS
 SELECT release_10.age,
    release_10.unit,
    release_10.stage
   FROM bkpriv_release.release_10;


ALTER TABLE ward.drawn OWNER TO postgres;

--
-- Name: VIEW drawn; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON VIEW ward.drawn IS 'Published by bkpriv as release 10. One row for each record. Any value may be another than the record''s own; a second view tells by what chance. Counts are to be estimated, not read off.';


--
-- Name: COLUMN drawn.age; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.drawn.age IS 'Quasi-identifier, the row''s own or another drawn in its place: as in the source';


--
-- Name: COLUMN drawn.unit; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.drawn.unit IS 'Quasi-identifier, the row''s own or another drawn in its place: as in the source';


--
-- Name: COLUMN drawn.stage; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.drawn.stage IS 'Sensitive value, the row''s own or another drawn in its place: as in the source';


--
-- Name: drawn_randomization; Type: VIEW; Schema: ward; Owner: postgres
--

CREATE VIEW ward.drawn_randomization WITH (security_barrier='true') AS
 SELECT release_10_randomization.attribute,
    release_10_randomization.value,
    release_10_randomization.retention,
    release_10_randomization.flip_probability
   FROM bkpriv_release.release_10_randomization;


ALTER TABLE ward.drawn_randomization OWNER TO postgres;

--
-- Name: VIEW drawn_randomization; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON VIEW ward.drawn_randomization IS 'Published by bkpriv as release 10. One row for each value of each attribute, with the chances by which records show another than their own.';


--
-- Name: COLUMN drawn_randomization.attribute; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.drawn_randomization.attribute IS 'Name of an attribute';


--
-- Name: COLUMN drawn_randomization.value; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.drawn_randomization.value IS 'A value of it, as the records show it';


--
-- Name: COLUMN drawn_randomization.retention; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.drawn_randomization.retention IS 'Probability that a record with this value shows it';


--
-- Name: COLUMN drawn_randomization.flip_probability; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.drawn_randomization.flip_probability IS 'Probability that a record with another value shows this one';


--
-- Name: filled; Type: VIEW; Schema: ward; Owner: postgres
--

CREATE VIEW ward.filled WITH (security_barrier='true') AS
 SELECT release_16.age,
    release_16.unit,
    release_16.stage
   FROM bkpriv_release.release_16;


ALTER TABLE ward.filled OWNER TO postgres;

--
-- Name: VIEW filled; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON VIEW ward.filled IS 'Published by bkpriv as release 16. One row for each record that is published. The records of a group have its quasi-identifiers, which are true of all of them, and nothing tells whose row is whose.';


--
-- Name: COLUMN filled.age; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.filled.age IS 'Quasi-identifier of the row''s group: a range with all values; NULL where values are missing, and without bounds where some are';


--
-- Name: COLUMN filled.unit; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.filled.unit IS 'Quasi-identifier of the row''s group: a value, or a label that stands for several, * for any';


--
-- Name: COLUMN filled.stage; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.filled.stage IS 'Sensitive value of the row''s record: as in the source';


--
-- Name: fresh; Type: VIEW; Schema: ward; Owner: upgrade_publisher
--

CREATE VIEW ward.fresh WITH (security_barrier='true') AS
 SELECT release_9.age,
    release_9.unit
   FROM bkpriv_release.release_9;


ALTER TABLE ward.fresh OWNER TO upgrade_publisher;

--
-- Name: VIEW fresh; Type: COMMENT; Schema: ward; Owner: upgrade_publisher
--

COMMENT ON VIEW ward.fresh IS 'Published by bkpriv as release 9. One row for each record that is published. The records of a group have its quasi-identifiers, which are true of all of them, and nothing tells whose row is whose.';


--
-- Name: COLUMN fresh.age; Type: COMMENT; Schema: ward; Owner: upgrade_publisher
--

COMMENT ON COLUMN ward.fresh.age IS 'Quasi-identifier of the row''s group: a range with all values; NULL where values are missing, and without bounds where some are';


--
-- Name: COLUMN fresh.unit; Type: COMMENT; Schema: ward; Owner: upgrade_publisher
--

COMMENT ON COLUMN ward.fresh.unit IS 'Sensitive value of the row''s record: as in the source';


--
-- Name: member; Type: TABLE; Schema: ward; Owner: postgres
--

CREATE TABLE ward.member (
    id integer,
    age integer,
    unit text
);


ALTER TABLE ward.member OWNER TO postgres;

--
-- Name: members; Type: VIEW; Schema: ward; Owner: postgres
--

CREATE VIEW ward.members WITH (security_barrier='true') AS
 SELECT release_14.age,
    release_14.unit
   FROM bkpriv_release.release_14;


ALTER TABLE ward.members OWNER TO postgres;

--
-- Name: VIEW members; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON VIEW ward.members IS 'Published by bkpriv as release 14. One row for each record that is published. The records of a group have its quasi-identifiers, which are true of all of them, and nothing tells whose row is whose.';


--
-- Name: COLUMN members.age; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.members.age IS 'Quasi-identifier of the row''s group: a range with all values; NULL where values are missing, and without bounds where some are';


--
-- Name: COLUMN members.unit; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.members.unit IS 'Sensitive value of the row''s record: as in the source';


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
-- Name: VIEW patients; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON VIEW ward.patients IS 'Published by bkpriv as release 2. One row for each record that is published. The records of a group have its quasi-identifiers, which are true of all of them, and nothing tells whose row is whose.';


--
-- Name: COLUMN patients.age; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.patients.age IS 'Quasi-identifier of the row''s group: a range with all values; NULL where values are missing, and without bounds where some are';


--
-- Name: COLUMN patients.sex; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.patients.sex IS 'Quasi-identifier of the row''s group: a value, or a label that stands for several, * for any';


--
-- Name: COLUMN patients.city; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.patients.city IS 'Quasi-identifier of the row''s group: a value, or a label that stands for several, * for any';


--
-- Name: COLUMN patients.disease; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.patients.disease IS 'Sensitive value of the row''s record: as in the source';


--
-- Name: people; Type: VIEW; Schema: ward; Owner: upgrade_publisher
--

CREATE VIEW ward.people WITH (security_barrier='true') AS
 SELECT release_8.age,
    release_8.unit
   FROM bkpriv_release.release_8;


ALTER TABLE ward.people OWNER TO upgrade_publisher;

--
-- Name: VIEW people; Type: COMMENT; Schema: ward; Owner: upgrade_publisher
--

COMMENT ON VIEW ward.people IS 'Published by bkpriv as release 8. One row for each record that is published. The records of a group have its quasi-identifiers, which are true of all of them, and nothing tells whose row is whose.';


--
-- Name: COLUMN people.age; Type: COMMENT; Schema: ward; Owner: upgrade_publisher
--

COMMENT ON COLUMN ward.people.age IS 'Quasi-identifier of the row''s group: a range with all values; NULL where values are missing, and without bounds where some are';


--
-- Name: COLUMN people.unit; Type: COMMENT; Schema: ward; Owner: upgrade_publisher
--

COMMENT ON COLUMN ward.people.unit IS 'Sensitive value of the row''s record: as in the source';


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
-- Name: visit; Type: TABLE; Schema: ward; Owner: postgres
--

CREATE TABLE ward.visit (
    patient integer,
    day date,
    age integer,
    sex text,
    diagnosis text,
    treatment text,
    nights integer
);


ALTER TABLE ward.visit OWNER TO postgres;

--
-- Name: visits; Type: VIEW; Schema: ward; Owner: postgres
--

CREATE VIEW ward.visits WITH (security_barrier='true') AS
 SELECT release_12.age,
    release_12.sex,
    release_12.diagnosis,
    release_12.treatment,
    release_12.nights
   FROM bkpriv_release.release_12;


ALTER TABLE ward.visits OWNER TO postgres;

--
-- Name: VIEW visits; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON VIEW ward.visits IS 'Published by bkpriv as release 12. One row for each record that is published. The records of a group have its quasi-identifiers, which are true of all of them, and nothing tells whose row is whose.';


--
-- Name: COLUMN visits.age; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.visits.age IS 'Quasi-identifier of the row''s group: a range with all values; NULL where values are missing, and without bounds where some are';


--
-- Name: COLUMN visits.sex; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.visits.sex IS 'Quasi-identifier of the row''s group: a value, or a label that stands for several, * for any';


--
-- Name: COLUMN visits.diagnosis; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.visits.diagnosis IS 'Sensitive value of the row''s record: as in the source';


--
-- Name: COLUMN visits.treatment; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.visits.treatment IS 'Sensitive value of the row''s record: as in the source';


--
-- Name: COLUMN visits.nights; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.visits.nights IS 'Value of the row''s record, which passes through: as in the source';


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
-- Name: VIEW whole; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON VIEW ward.whole IS 'Published by bkpriv as release 6. One row for each record that is published. The records of a group have its quasi-identifiers, which are true of all of them, and nothing tells whose row is whose.';


--
-- Name: COLUMN whole.age; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.whole.age IS 'Quasi-identifier of the row''s group: a range with all values; NULL where values are missing, and without bounds where some are';


--
-- Name: COLUMN whole.sex; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.whole.sex IS 'Quasi-identifier of the row''s group: a value, or a label that stands for several, * for any';


--
-- Name: COLUMN whole.city; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.whole.city IS 'Quasi-identifier of the row''s group: a value, or a label that stands for several, * for any';


--
-- Name: COLUMN whole.disease; Type: COMMENT; Schema: ward; Owner: postgres
--

COMMENT ON COLUMN ward.whole.disease IS 'Sensitive value of the row''s record: as in the source';


--
-- Data for Name: audit_record; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.audit_record (audit, place, release, requirement, parameters, threshold, worst, mean, vulnerable, satisfied, estimator, audited_at, audited_by) FROM stdin;
1	0	1	k_anonymity	{"k": 4}	4	4	5.208333333333333	0	t	exact	2026-11-23 06:42:19.744024+00	postgres
1	1	1	l_diversity	{"l": 2, "variant": "distinct"}	2	2	3.21875	0	t	exact	2026-11-23 06:42:19.744024+00	postgres
2	0	2	k_anonymity	{"k": 3}	3	3	5.4375	0	t	exact	2026-11-23 06:42:20.116099+00	postgres
2	1	2	ck_safety	{"c": 0.95, "k": 1}	0.95	0.8571428571428571	0.6903382765499209	0	t	exact	2026-11-23 06:42:20.116099+00	postgres
2	2	2	bt_privacy	{"t": 0.4, "bandwidth": 0.3}	0.4	0.1730955202693638	0.06709844983105558	0	t	exact	2026-11-23 06:42:20.116099+00	postgres
3	0	3	k_anonymity	{"k": 4}	4	4	5.208333333333333	0	t	exact	2026-11-23 06:42:20.701234+00	postgres
3	1	3	l_diversity	{"l": 2, "variant": "distinct"}	2	2	3.21875	0	t	exact	2026-11-23 06:42:20.701234+00	postgres
4	0	4	k_anonymity	{"k": 4}	4	4	5.208333333333333	0	t	exact	2026-11-23 06:42:20.972042+00	postgres
4	1	4	l_diversity	{"l": 2, "variant": "distinct"}	2	2	3.21875	0	t	exact	2026-11-23 06:42:20.972042+00	postgres
5	0	5	k_anonymity	{"k": 4}	4	4	4	0	t	exact	2026-11-23 06:42:21.200005+00	postgres
5	1	5	l_diversity	{"l": 2, "variant": "distinct"}	2	2	3.25	0	t	exact	2026-11-23 06:42:21.200005+00	postgres
6	0	6	k_anonymity	{"k": 4}	4	11	12.041666666666666	0	t	exact	2026-11-23 06:42:21.336033+00	postgres
6	1	6	l_diversity	{"l": 2, "variant": "distinct"}	2	3	3.875	0	t	exact	2026-11-23 06:42:21.336033+00	postgres
7	0	7	k_anonymity	{"k": 4}	4	9	9	0	t	exact	2026-11-23 06:42:21.471922+00	postgres
7	1	7	l_diversity	{"l": 2, "variant": "distinct"}	2	2	2	0	t	exact	2026-11-23 06:42:21.471922+00	postgres
8	0	8	k_anonymity	{"k": 4}	4	6	9.25	0	t	exact	2026-11-23 06:42:21.640228+00	upgrade_publisher
8	1	8	l_diversity	{"l": 2, "variant": "distinct"}	2	3	3	0	t	exact	2026-11-23 06:42:21.640228+00	upgrade_publisher
9	0	9	k_anonymity	{"k": 4}	4	6	9.25	0	t	exact	2026-11-23 06:42:21.803979+00	upgrade_publisher
9	1	9	l_diversity	{"l": 2, "variant": "distinct"}	2	3	3	0	t	exact	2026-11-23 06:42:21.803979+00	upgrade_publisher
9	2	9	k_anonymity	{"k": 4, "together": [8, 9]}	4	6	9.25	0	t	exact	2026-11-23 06:42:21.803979+00	upgrade_publisher
9	3	9	l_diversity	{"l": 2, "variant": "distinct", "together": [8, 9]}	2	3	3	0	t	exact	2026-11-23 06:42:21.803979+00	upgrade_publisher
10	0	10	max_disclosure	{"tau": 0.9, "scheme": "rr-both", "epsilon": {"age": 5.4687946498359485, "unit": 6.554730589132226, "stage": null}}	0.9	0.8999999999999999	0.8999999999999999	0	t	exact	2026-11-23 06:42:23.091816+00	postgres
11	0	11	k_anonymity	{"k": 4}	4	5	6.133333333333334	0	t	exact	2026-11-23 06:42:24.288008+00	postgres
11	1	11	l_diversity	{"l": 2, "variant": "distinct", "sensitive": "diagnosis"}	2	4	4	0	t	exact	2026-11-23 06:42:24.288008+00	postgres
12	0	12	k_anonymity	{"k": 4}	4	4	5.066666666666666	0	t	exact	2026-11-23 06:42:24.48+00	postgres
12	1	12	l_diversity	{"l": 2, "variant": "distinct", "sensitive": "diagnosis"}	2	3	3.1333333333333333	0	t	exact	2026-11-23 06:42:24.48+00	postgres
13	0	13	k_anonymity	{"k": 4}	4	9	9	0	t	exact	2026-11-23 06:42:24.691929+00	postgres
13	1	13	l_diversity	{"l": 2, "variant": "distinct"}	2	3	3	0	t	exact	2026-11-23 06:42:24.691929+00	postgres
14	0	14	k_anonymity	{"k": 4}	4	6	8.25	0	t	exact	2026-11-23 06:42:24.783864+00	postgres
14	1	14	l_diversity	{"l": 2, "variant": "distinct"}	2	3	3	0	t	exact	2026-11-23 06:42:24.783864+00	postgres
14	2	14	k_anonymity	{"k": 4, "together": [13, 14]}	4	6	8.25	0	t	exact	2026-11-23 06:42:24.783864+00	postgres
14	3	14	l_diversity	{"l": 2, "variant": "distinct", "together": [13, 14]}	2	3	3	0	t	exact	2026-11-23 06:42:24.783864+00	postgres
15	0	15	k_anonymity	{"k": 3}	3	3	3	0	t	exact	2026-11-23 06:42:24.963708+00	postgres
15	1	15	bt_privacy	{"t": 0.4, "bandwidth": 0.3}	0.4	0.24064876140858638	0.10059642355135219	0	t	exact	2026-11-23 06:42:24.963708+00	postgres
15	2	15	k_anonymity	{"k": 3, "together": [13, 14, 15]}	3	3	3	0	t	exact	2026-11-23 06:42:24.963708+00	postgres
15	3	15	bt_privacy	{"t": 0.4, "together": [13, 14, 15], "bandwidth": 0.3}	0.4	0.24064876140858638	0.10059642355135222	0	t	exact	2026-11-23 06:42:24.963708+00	postgres
16	0	16	k_anonymity	{"k": 4}	4	4	6.222222222222222	0	t	exact	2026-11-23 06:42:25.159691+00	postgres
16	1	16	l_diversity	{"l": 2, "variant": "distinct"}	2	2	2	0	t	exact	2026-11-23 06:42:25.159691+00	postgres
17	0	2	k_anonymity	{"k": 3}	3	3	5.4375	0	t	exact	2026-11-23 06:42:25.28378+00	postgres
17	1	2	ck_safety	{"c": 0.95, "k": 1}	0.95	0.8571428571428571	0.6903382765499209	0	t	exact	2026-11-23 06:42:25.28378+00	postgres
17	2	2	bt_privacy	{"t": 0.4, "bandwidth": 0.3}	0.4	0.1730955202693638	0.06709844983105558	0	t	exact	2026-11-23 06:42:25.28378+00	postgres
18	0	8	k_anonymity	{"k": 9}	9	6	9.25	6	f	exact	2026-11-23 06:42:25.328026+00	upgrade_auditor
\.


--
-- Data for Name: dataset; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.dataset (name, owner, source_schema, source_name, quasi_identifiers, sensitive, respondent, period, registered_at, bins, attributes) FROM stdin;
patients	postgres	ward	patient	{age,sex,city}	{disease}	\N	\N	2026-11-23 06:42:19.154854+00	{}	{}
people	upgrade_publisher	ward	person	{age}	{unit}	id	\N	2026-11-23 06:42:21.606308+00	{"age": 3}	{}
visits	postgres	ward	visit	{age,sex}	{diagnosis,treatment}	patient	day	2026-11-23 06:42:24.210553+00	{"day": "month"}	{nights}
members	postgres	ward	member	{age}	{unit}	id	\N	2026-11-23 06:42:24.663861+00	{}	{}
cases	postgres	ward	case	{age,unit}	{stage}	\N	\N	2026-11-23 06:42:19.623342+00	{}	{}
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
plain	postgres	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	2026-11-23 06:42:18.291937+00
beliefs	postgres	{"ck_safety": {"c": 0.95, "k": 1}, "bt_privacy": [{"t": 0.4, "bandwidth": 0.3}], "k_anonymity": {"k": 3}}	2026-11-23 06:42:19.138465+00
uncertain	postgres	{"max_disclosure": {"tau": 0.9}}	2026-11-23 06:42:23.0885+00
each	postgres	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2, "sensitive": "diagnosis"}}	2026-11-23 06:42:24.204127+00
unsure	postgres	{"bt_privacy": [{"t": 0.4, "bandwidth": 0.3}], "k_anonymity": {"k": 3}}	2026-11-23 06:42:24.659819+00
\.


--
-- Data for Name: release; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release (release, dataset, owner, version, source_schema, source_name, view_schema, view_name, method, policy, requirements, options, period, records, suppressed, groups, created_at, created_by, watch, period_type, period_column, period_bin, counterfeited, grown_from, respondent_column, attributes) FROM stdin;
1	patients	postgres	1	ward	patient	ward	patients	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	96	0	19	2026-11-23 06:42:19.744024+00	postgres	{cc3571d7-1712-4fe6-8381-cb42d49dee11}	\N	\N	\N	0	\N	\N	{}
2	patients	postgres	2	ward	patient	ward	patients	mondrian	beliefs	{"ck_safety": {"c": 0.95, "k": 1}, "bt_privacy": [{"t": 0.4, "bandwidth": 0.3}], "k_anonymity": {"k": 3}}	{}	\N	96	0	19	2026-11-23 06:42:20.116099+00	postgres	{cc3571d7-1712-4fe6-8381-cb42d49dee11}	\N	\N	\N	0	\N	\N	{}
3	patients	postgres	3	ward	patient	ward	gone	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	96	0	19	2026-11-23 06:42:20.701234+00	postgres	{cc3571d7-1712-4fe6-8381-cb42d49dee11}	\N	\N	\N	0	\N	\N	{}
4	patients	postgres	4	ward	patient	ward	buckets	bucketize	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	96	0	19	2026-11-23 06:42:20.972042+00	postgres	{cc3571d7-1712-4fe6-8381-cb42d49dee11}	\N	\N	\N	0	\N	\N	{}
5	patients	postgres	5	ward	patient	ward	anatomy	anatomy	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	96	0	24	2026-11-23 06:42:21.200005+00	postgres	{cc3571d7-1712-4fe6-8381-cb42d49dee11}	\N	\N	\N	0	\N	\N	{}
6	patients	postgres	6	ward	patient	ward	whole	incognito	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	96	0	8	2026-11-23 06:42:21.336033+00	postgres	{cc3571d7-1712-4fe6-8381-cb42d49dee11}	\N	\N	\N	0	\N	\N	{}
7	cases	postgres	1	ward	case	ward	cases	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{"materialized": true}	\N	72	0	8	2026-11-23 06:42:21.471922+00	postgres	{64c9722d-3f2a-4b66-97f6-ed47a426edd6}	\N	\N	\N	0	\N	\N	{}
8	people	upgrade_publisher	1	ward	person	ward	people	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	72	0	8	2026-11-23 06:42:21.640228+00	upgrade_publisher	{e0134b77-57f0-48bd-8f83-2c0c51273bad}	\N	\N	\N	0	\N	id	{}
9	people	upgrade_publisher	2	ward	person	ward	fresh	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	73	1	8	2026-11-23 06:42:21.803979+00	upgrade_publisher	{e0134b77-57f0-48bd-8f83-2c0c51273bad}	\N	\N	\N	0	\N	id	{}
10	cases	postgres	2	ward	case	ward	drawn	randomize	uncertain	{"max_disclosure": {"tau": 0.9}}	{"scheme": "rr-both"}	\N	72	0	0	2026-11-23 06:42:23.091816+00	postgres	{64c9722d-3f2a-4b66-97f6-ed47a426edd6}	\N	\N	\N	0	\N	\N	{}
11	visits	postgres	1	ward	visit	ward	visits	mondrian	each	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2, "sensitive": "diagnosis"}}	{"max_records_per_person": "all"}	2024-01-01	30	0	5	2026-11-23 06:42:24.288008+00	postgres	{8ce8db49-9fca-47bc-afb3-29b201914a78}	date	day	month	0	\N	patient	{nights}
12	visits	postgres	2	ward	visit	ward	visits	mondrian	each	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2, "sensitive": "diagnosis"}}	{"latest_by": "day", "max_records_per_person": 1}	2024-02-01	30	0	6	2026-11-23 06:42:24.48+00	postgres	{8ce8db49-9fca-47bc-afb3-29b201914a78}	date	day	month	0	\N	patient	{nights}
13	members	postgres	1	ward	member	ward	members	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{}	\N	72	0	8	2026-11-23 06:42:24.691929+00	postgres	{cf9fec22-823f-4df0-8db6-298666ab5558}	\N	\N	\N	0	\N	id	{}
14	members	postgres	2	ward	member	ward	members	mondrian	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{"grow": true}	\N	96	0	12	2026-11-23 06:42:24.783864+00	postgres	{cf9fec22-823f-4df0-8db6-298666ab5558}	\N	\N	\N	0	13	id	{}
15	members	postgres	3	ward	member	ward	again	mondrian	unsure	{"bt_privacy": [{"t": 0.4, "bandwidth": 0.3}], "k_anonymity": {"k": 3}}	{}	\N	96	0	32	2026-11-23 06:42:24.963708+00	postgres	{cf9fec22-823f-4df0-8db6-298666ab5558}	\N	\N	\N	0	\N	id	{}
16	cases	postgres	3	ward	case	ward	filled	js_reduce	plain	{"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}	{"unfit": "counterfeit"}	\N	72	0	13	2026-11-23 06:42:25.159691+00	postgres	{64c9722d-3f2a-4b66-97f6-ed47a426edd6}	\N	\N	\N	0	\N	\N	{}
\.


--
-- Data for Name: release_attribute; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_attribute (release, place, attribute, labels, positions, levels, type, widths, origin, level, ends, retention) FROM stdin;
1	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	\N	\N	\N
1	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N	\N
1	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	\N	\N	\N
1	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N	\N	\N
2	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	\N	\N	\N
2	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N	\N
2	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	\N	\N	\N
2	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N	\N	\N
3	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	\N	\N	\N
3	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N	\N
3	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	\N	\N	\N
3	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N	\N	\N
4	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	\N	\N	\N
4	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N	\N
4	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	\N	\N	\N
4	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N	\N	\N
5	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	\N	\N	\N
5	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N	\N
5	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	\N	\N	\N
5	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N	\N	\N
6	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59}	\N	integer	{10,20}	0	1	\N	\N
6	1	sex	{f,m}	\N	\N	text	\N	\N	1	\N	\N
6	2	city	{Aln,Brix}	\N	{{Aln,north,*},{Brix,north,*},{Corve,south,*},{Dunn,south,*}}	text	\N	\N	0	\N	\N
6	3	disease	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N	\N	\N
7	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	\N	integer	\N	\N	\N	\N	\N
7	1	unit	{A,B,C,D}	\N	\N	text	\N	\N	\N	\N	\N
7	2	stage	{mild,grave}	\N	\N	ward.stage	\N	\N	\N	\N	\N
8	0	age	{18,21,24,27,30,33,36,39,42}	{18,21,24,27,30,33,36,39,42}	\N	integer	\N	\N	\N	{21,24,27,30,33,36,39,42,45}	\N
8	1	unit	{A,B,E}	\N	\N	text	\N	\N	\N	\N	\N
9	0	age	{18,21,24,27,30,33,36,39,42}	{18,21,24,27,30,33,36,39,42}	\N	integer	\N	\N	\N	{21,24,27,30,33,36,39,42,45}	\N
9	1	unit	{A,B,E}	\N	\N	text	\N	\N	\N	\N	\N
10	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	\N	integer	\N	\N	\N	\N	0.9115976715510193
10	1	unit	{A,B,C,D}	\N	\N	text	\N	\N	\N	\N	0.9957480573583155
10	2	stage	{mild,grave}	\N	\N	ward.stage	\N	\N	\N	\N	1
11	0	age	{20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58}	{20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58}	\N	integer	\N	\N	\N	\N	\N
11	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N	\N
11	2	diagnosis	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N	\N	\N
11	3	treatment	{cast,drug,rest}	\N	\N	text	\N	\N	\N	\N	\N
12	0	age	{21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59}	{21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59}	\N	integer	\N	\N	\N	\N	\N
12	1	sex	{f,m}	\N	\N	text	\N	\N	\N	\N	\N
12	2	diagnosis	{asthma,flu,fracture,ulcer}	\N	\N	text	\N	\N	\N	\N	\N
12	3	treatment	{cast,drug,rest}	\N	\N	text	\N	\N	\N	\N	\N
13	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	\N	integer	\N	\N	\N	\N	\N
13	1	unit	{A,B,E}	\N	\N	text	\N	\N	\N	\N	\N
14	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	\N	integer	\N	\N	\N	\N	\N
14	1	unit	{A,B,E}	\N	\N	text	\N	\N	\N	\N	\N
15	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	\N	integer	\N	\N	\N	\N	\N
15	1	unit	{A,B,E}	\N	\N	text	\N	\N	\N	\N	\N
16	0	age	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	{20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43}	\N	integer	\N	\N	\N	\N	\N
16	1	unit	{A,B,C,D}	\N	\N	text	\N	\N	\N	\N	\N
16	2	stage	{mild,grave}	\N	\N	ward.stage	\N	\N	\N	\N	\N
\.


--
-- Data for Name: release_belief; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_belief (release, digest, knowledge, probabilities) FROM stdin;
\.


--
-- Data for Name: release_content; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_content (release, codes, group_ids, cells, sensitive_codes, counts, false_cells, false_codes, false_counts, combinations, combination_offsets) FROM stdin;
1	{0,1,0,1,0,1,1,1,1,2,0,0,2,1,0,3,0,1,3,1,1,4,0,0,4,1,0,5,0,1,5,1,1,6,0,0,6,1,0,7,0,1,7,1,1,8,0,0,8,1,0,9,0,1,9,1,1,10,0,0,10,1,0,11,0,1,11,1,1,12,0,0,12,1,0,13,1,1,14,0,0,14,1,0,15,1,1,16,0,0,16,1,0,17,1,1,18,0,0,18,1,0,19,1,1,20,0,0,20,1,0,21,0,1,21,1,1,22,0,0,22,1,0,23,0,1,23,1,1,24,0,0,24,1,0,25,0,1,25,1,1,26,0,0,26,1,0,27,0,1,27,1,1,28,0,0,28,1,0,29,0,1,29,1,1,30,0,0,30,1,0,31,0,1,31,1,1,32,0,0,32,1,0,33,0,1,33,1,1,34,1,0,35,0,1,35,1,1,36,1,0,37,0,1,37,1,1,38,1,0,39,0,1,39,1,1}	{2,9,17,3,2,9,17,3,2,9,17,3,2,9,17,3,11,9,4,3,11,9,4,6,11,4,6,11,13,6,0,13,6,0,13,6,16,7,5,12,16,7,5,12,16,7,8,12,16,7,8,12,10,7,8,12,10,15,8,12,1,15,14,1,15,14,18,15,14,18,15,14}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,27,28,29,30,30,31,31,32,33,33,34,34,35,36,37,38,38,39,40,41,42,42,43,44,45,46,46,47,48,49,50,51,52,52,53,54,55,56,56,57,58,59,60,60,61,62,63,63,64,65,65,66,66,67,68,68,69,70,71}	{1,0,0,0,1,1,1,2,2,0,0,0,0,3,3,0,0,2,2,1,1,3,2,3,3,1,3,1,3,1,0,0,2,0,1,1,1,2,2,3,2,0,0,0,3,1,3,0,1,2,1,2,1,0,1,0,3,3,0,1,0,1,1,2,0,1,2,2,0,3,0,3,2,0,2,3,1,1,2,2,3,3,1,3,1,3,1}	{2,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,2,1,1,1,2,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1}	\N	\N	\N	\N	\N
2	{0,1,0,1,0,1,1,1,1,2,0,0,2,1,0,3,0,1,3,1,1,4,0,0,4,1,0,5,0,1,5,1,1,6,0,0,6,1,0,7,0,1,7,1,1,8,0,0,8,1,0,9,0,1,9,1,1,10,0,0,10,1,0,11,0,1,11,1,1,12,0,0,12,1,0,13,1,1,14,0,0,14,1,0,15,1,1,16,0,0,16,1,0,17,1,1,18,0,0,18,1,0,19,1,1,20,0,0,20,1,0,21,0,1,21,1,1,22,0,0,22,1,0,23,0,1,23,1,1,24,0,0,24,1,0,25,0,1,25,1,1,26,0,0,26,1,0,27,0,1,27,1,1,28,0,0,28,1,0,29,0,1,29,1,1,30,0,0,30,1,0,31,0,1,31,1,1,32,0,0,32,1,0,33,0,1,33,1,1,34,1,0,35,0,1,35,1,1,36,1,0,37,0,1,37,1,1,38,1,0,39,0,1,39,1,1}	{11,1,4,14,11,1,4,14,11,1,4,14,11,1,4,14,6,1,4,14,6,1,15,13,6,15,13,7,15,13,7,15,13,7,18,12,0,9,18,12,0,9,18,12,0,9,5,12,17,9,5,3,17,9,5,3,17,10,5,3,16,10,2,16,10,2,8,10,2,8,10,2}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,27,28,29,30,30,31,31,32,33,33,34,34,35,36,37,38,38,39,40,41,42,42,43,44,45,46,46,47,48,49,50,51,52,52,53,54,55,56,56,57,58,59,60,60,61,62,63,63,64,65,65,66,66,67,68,68,69,70,71}	{1,0,0,0,1,1,1,2,2,0,0,0,0,3,3,0,0,2,2,1,1,3,2,3,3,1,3,1,3,1,0,0,2,0,1,1,1,2,2,3,2,0,0,0,3,1,3,0,1,2,1,2,1,0,1,0,3,3,0,1,0,1,1,2,0,1,2,2,0,3,0,3,2,0,2,3,1,1,2,2,3,3,1,3,1,3,1}	{2,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,2,1,1,1,2,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1}	\N	\N	\N	\N	\N
3	{0,1,0,1,0,1,1,1,1,2,0,0,2,1,0,3,0,1,3,1,1,4,0,0,4,1,0,5,0,1,5,1,1,6,0,0,6,1,0,7,0,1,7,1,1,8,0,0,8,1,0,9,0,1,9,1,1,10,0,0,10,1,0,11,0,1,11,1,1,12,0,0,12,1,0,13,1,1,14,0,0,14,1,0,15,1,1,16,0,0,16,1,0,17,1,1,18,0,0,18,1,0,19,1,1,20,0,0,20,1,0,21,0,1,21,1,1,22,0,0,22,1,0,23,0,1,23,1,1,24,0,0,24,1,0,25,0,1,25,1,1,26,0,0,26,1,0,27,0,1,27,1,1,28,0,0,28,1,0,29,0,1,29,1,1,30,0,0,30,1,0,31,0,1,31,1,1,32,0,0,32,1,0,33,0,1,33,1,1,34,1,0,35,0,1,35,1,1,36,1,0,37,0,1,37,1,1,38,1,0,39,0,1,39,1,1}	{9,11,4,12,9,11,4,12,9,11,4,12,9,11,4,12,14,11,1,12,14,11,1,2,14,1,2,14,15,2,7,15,2,7,15,2,16,5,10,13,16,5,10,13,16,5,17,13,16,5,17,13,18,5,17,13,18,0,17,13,6,0,3,6,0,3,8,0,3,8,0,3}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,27,28,29,30,30,31,31,32,33,33,34,34,35,36,37,38,38,39,40,41,42,42,43,44,45,46,46,47,48,49,50,51,52,52,53,54,55,56,56,57,58,59,60,60,61,62,63,63,64,65,65,66,66,67,68,68,69,70,71}	{1,0,0,0,1,1,1,2,2,0,0,0,0,3,3,0,0,2,2,1,1,3,2,3,3,1,3,1,3,1,0,0,2,0,1,1,1,2,2,3,2,0,0,0,3,1,3,0,1,2,1,2,1,0,1,0,3,3,0,1,0,1,1,2,0,1,2,2,0,3,0,3,2,0,2,3,1,1,2,2,3,3,1,3,1,3,1}	{2,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,2,1,1,1,2,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1}	\N	\N	\N	\N	\N
4	{0,1,0,1,0,1,1,1,1,2,0,0,2,1,0,3,0,1,3,1,1,4,0,0,4,1,0,5,0,1,5,1,1,6,0,0,6,1,0,7,0,1,7,1,1,8,0,0,8,1,0,9,0,1,9,1,1,10,0,0,10,1,0,11,0,1,11,1,1,12,0,0,12,1,0,13,1,1,14,0,0,14,1,0,15,1,1,16,0,0,16,1,0,17,1,1,18,0,0,18,1,0,19,1,1,20,0,0,20,1,0,21,0,1,21,1,1,22,0,0,22,1,0,23,0,1,23,1,1,24,0,0,24,1,0,25,0,1,25,1,1,26,0,0,26,1,0,27,0,1,27,1,1,28,0,0,28,1,0,29,0,1,29,1,1,30,0,0,30,1,0,31,0,1,31,1,1,32,0,0,32,1,0,33,0,1,33,1,1,34,1,0,35,0,1,35,1,1,36,1,0,37,0,1,37,1,1,38,1,0,39,0,1,39,1,1}	{2,15,14,6,2,15,14,6,2,15,14,6,2,15,14,6,11,15,12,6,11,15,12,10,11,12,10,11,13,10,4,13,10,4,13,10,1,5,18,0,1,5,18,0,1,5,8,0,1,5,8,0,3,5,8,0,3,16,8,0,7,16,17,7,16,17,9,16,17,9,16,17}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,27,28,29,30,30,31,31,32,33,33,34,34,35,36,37,38,38,39,40,41,42,42,43,44,45,46,46,47,48,49,50,51,52,52,53,54,55,56,56,57,58,59,60,60,61,62,63,63,64,65,65,66,66,67,68,68,69,70,71}	{1,0,0,0,1,1,1,2,2,0,0,0,0,3,3,0,0,2,2,1,1,3,2,3,3,1,3,1,3,1,0,0,2,0,1,1,1,2,2,3,2,0,0,0,3,1,3,0,1,2,1,2,1,0,1,0,3,3,0,1,0,1,1,2,0,1,2,2,0,3,0,3,2,0,2,3,1,1,2,2,3,3,1,3,1,3,1}	{2,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,2,1,1,1,2,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1}	\N	\N	\N	\N	\N
5	{22,0,0,27,1,1,25,1,1,31,1,1,5,1,1,28,0,0,32,1,0,37,1,1,18,1,0,30,1,0,2,1,0,5,0,1,9,1,1,35,1,1,3,0,1,37,1,1,10,1,0,33,0,1,23,1,1,34,1,0,17,1,1,26,0,0,0,1,0,21,1,1,2,1,0,16,1,0,30,1,0,35,1,1,11,1,1,28,1,0,7,1,1,25,1,1,6,1,0,7,0,1,15,1,1,18,1,0,14,1,0,34,1,0,21,1,1,32,1,0,6,0,0,38,1,0,12,1,0,23,1,1,14,1,0,36,1,0,17,1,1,24,0,0,8,0,0,16,1,0,22,1,0,38,1,0,15,1,1,27,0,1,20,1,0,24,1,0,4,0,0,37,0,1,10,0,0,30,0,0,13,1,1,19,1,1,29,1,1,33,1,1,9,1,1,23,0,1,3,1,1,26,1,0,31,0,1,36,1,0,1,0,1,29,0,1,14,0,0,39,1,1,4,1,0,8,1,0,11,0,1,21,0,1,0,1,0,9,0,1,4,1,0,12,0,0,13,1,1,28,1,0,16,0,0,32,0,0,11,1,1,18,0,0,7,1,1,19,1,1,1,1,1,35,0,1,25,0,1,39,0,1,2,0,0,20,0,0}	{16,16,10,10,7,7,2,2,11,11,19,19,18,18,23,23,17,17,10,10,17,17,6,6,22,22,0,0,8,8,1,1,9,9,20,20,11,11,15,15,3,3,20,20,16,16,5,5,21,21,13,13,14,14,3,3,5,5,23,23,7,7,13,13,1,1,4,4,2,2,12,12,15,15,9,9,12,12,19,19,22,22,14,14,18,18,4,4,21,21,8,8,0,0,6,6}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72,73,74,75,76,77,78,79,80,81,82,83,84,85,86,87,88,89,90,91,92,93,94,95}	{1,0,1,0,0,1,0,1,1,2,1,0,2,1,1,3,1,2,1,3,1,0,1,3,1,0,1,2,2,1,3,0,0,3,1,2,1,2,0,3,0,1,3,2,3,2,0,1,0,2,3,1,1,3,0,2,2,3,1,0,1,3,2,0,2,0,1,3,2,3,0,1,3,1,2,0,3,0,1,2,2,3,1,0,0,3,2,1,3,2,0,1,1,3,0,2}	{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}	\N	\N	\N	\N	\N
6	{0,1,0,1,0,1,1,1,1,2,0,0,2,1,0,3,0,1,3,1,1,4,0,0,4,1,0,5,0,1,5,1,1,6,0,0,6,1,0,7,0,1,7,1,1,8,0,0,8,1,0,9,0,1,9,1,1,10,0,0,10,1,0,11,0,1,11,1,1,12,0,0,12,1,0,13,1,1,14,0,0,14,1,0,15,1,1,16,0,0,16,1,0,17,1,1,18,0,0,18,1,0,19,1,1,20,0,0,20,1,0,21,0,1,21,1,1,22,0,0,22,1,0,23,0,1,23,1,1,24,0,0,24,1,0,25,0,1,25,1,1,26,0,0,26,1,0,27,0,1,27,1,1,28,0,0,28,1,0,29,0,1,29,1,1,30,0,0,30,1,0,31,0,1,31,1,1,32,0,0,32,1,0,33,0,1,33,1,1,34,1,0,35,0,1,35,1,1,36,1,0,37,0,1,37,1,1,38,1,0,39,0,1,39,1,1}	{7,6,6,7,7,6,6,7,7,6,6,7,7,6,6,7,7,6,6,3,3,5,5,3,3,5,3,3,5,3,3,5,3,3,5,2,2,1,1,2,2,1,1,2,2,1,1,2,2,1,1,2,2,1,1,0,0,4,4,0,0,4,4,0,4,4,0,4,4,0,4,4}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,27,28,29,30,30,31,31,32,33,33,34,34,35,36,37,38,38,39,40,41,42,42,43,44,45,46,46,47,48,49,50,51,52,52,53,54,55,56,56,57,58,59,60,60,61,62,63,63,64,65,65,66,66,67,68,68,69,70,71}	{1,0,0,0,1,1,1,2,2,0,0,0,0,3,3,0,0,2,2,1,1,3,2,3,3,1,3,1,3,1,0,0,2,0,1,1,1,2,2,3,2,0,0,0,3,1,3,0,1,2,1,2,1,0,1,0,3,3,0,1,0,1,1,2,0,1,2,2,0,3,0,3,2,0,2,3,1,1,2,2,3,3,1,3,1,3,1}	{2,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,2,1,1,1,2,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1}	\N	\N	\N	\N	\N
7	{0,0,1,1,2,2,3,3,4,0,5,1,6,2,7,3,8,0,9,1,10,2,11,3,12,0,13,1,14,2,15,3,16,0,17,1,18,2,19,3,20,0,21,1,22,2,23,3}	{5,7,0,3,5,7,0,3,5,7,0,3,6,2,1,4,6,2,1,4,6,2,1,4}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23}	{0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1}	{3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3}	\N	\N	\N	\N	\N
8	{0,1,2,3,4,5,6,7,8}	{7,7,5,0,6,3,4,2,1}	{0,0,1,1,1,2,2,2,3,3,3,4,4,4,5,5,5,6,6,6,7,7,7,8,8,8}	{1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2}	{1,2,2,4,3,2,4,3,1,3,5,3,4,2,1,3,5,2,4,3,2,4,3,1,2,3}	\N	\N	\N	\N	\N
9	{4,6,7,8,3,5,2,4,0,1}	{-1,0,1,2,3,4,5,6,7,7}	{0,1,1,1,2,2,2,3,3,3,4,4,4,5,5,5,6,6,6,7,7,7,8,8,9,9,9}	{0,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,1,2,0,1,2}	{1,2,4,3,2,4,3,1,2,3,1,3,5,1,3,5,2,4,3,3,4,2,1,2,2,4,3}	\N	\N	\N	\N	\N
10	{0,0,1,1,2,2,3,3,4,0,5,1,6,2,7,3,8,0,9,1,10,2,11,3,12,0,13,1,14,2,15,3,16,0,17,1,18,2,19,3,20,0,21,1,22,2,23,3}	{-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23}	{0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1}	{3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3}	\N	\N	\N	\N	\N
11	{0,0,0,1,1,0,1,1,2,0,2,1,3,0,3,1,4,0,5,0,6,0,7,0,7,1,8,0,8,1,9,0,9,1,10,1,11,1,12,1,13,1,14,1,15,1,16,1,17,1,18,1,19,1}	{2,3,2,3,2,3,2,3,2,4,4,4,3,4,3,4,0,0,0,0,0,0,1,1,1,1,1}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,21,22,22,23,23,24,25,26}	{15,17,10,7,21,27,2,0,5,13,24,26,23,1,16,12,18,9,25,28,3,4,19,18,20,6,11,22,8,14}	{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}	\N	\N	\N	{0,0,0,0,0,1,2,2,0,0,0,1,0,2,2,0,0,0,0,1,2,1,3,1,0,0,0,1,2,2,3,1,0,0,1,0,1,0,1,2,0,0,1,0,1,2,2,1,0,0,1,1,3,0,3,2,0,0,1,2,3,0,3,0,0,0,2,2,3,0,3,1,0,1,0,2,1,0,1,1,0,1,0,2,1,0,3,0,0,1,0,2,1,2,3,0,0,1,1,0,1,1,1,1,0,1,1,0,1,1,1,2,0,1,1,0,2,2,2,2,0,1,1,1,1,1,2,0,0,2,0,2,0,2,2,2,0,2,1,0,1,0,2,0,0,2,1,0,1,1,1,2,0,2,1,0,1,1,2,2,0,2,1,2,2,2,2,2,1,0,1,1,2,1,3,1,1,0,2,0,2,0,3,0,1,0,2,1,2,2,3,2,1,1,3,1,3,1,3,1,1,2,3,1,3,2,3,2,2,0,2,1,3,1,3,2,2,0,2,2,2,2,3,1,2,1,2,2,2,2,3,2}	{0,4,8,12,16,20,24,28,32,36,40,44,48,52,56,60,64,68,72,76,80,84,88,92,96,100,104,108,112,116}
12	{0,1,1,1,2,1,3,1,4,1,5,1,6,1,7,1,8,1,9,1,10,0,10,1,11,0,11,1,12,0,12,1,13,0,14,0,15,0,16,0,17,0,17,1,18,0,18,1,19,0,19,1}	{3,3,3,3,0,0,0,4,4,4,2,4,2,4,2,1,2,2,5,5,5,1,5,1,5,1}	{0,1,2,3,3,4,4,5,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25}	{8,2,7,0,9,6,8,7,10,5,3,3,6,1,0,2,0,4,5,9,8,0,4,6,1,5,10,4,7}	{1,1,1,1,1,1,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}	\N	\N	\N	{0,0,0,1,0,2,1,0,1,1,1,2,2,1,2,2,3,0,3,1,3,2}	\N
13	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23}	{7,7,7,5,5,5,6,6,6,0,0,0,4,4,4,2,2,2,3,3,3,1,1,1}	{0,0,1,1,2,2,2,3,3,4,4,5,5,5,6,6,7,7,7,8,8,9,9,10,10,10,11,11,12,12,12,13,13,14,14,15,15,15,16,16,17,17,17,18,18,19,19,20,20,20,21,21,22,22,22,23,23}	{1,2,0,1,0,1,2,1,2,1,2,0,1,2,0,1,0,1,2,1,2,1,2,0,1,2,0,1,0,1,2,1,2,1,2,0,1,2,0,1,0,1,2,1,2,1,2,0,1,2,0,1,0,1,2,1,2}	{1,2,1,2,1,1,1,1,2,1,2,1,1,1,1,2,1,1,1,1,2,1,2,1,1,1,1,2,1,1,1,1,2,1,2,1,1,1,1,2,1,1,1,1,2,1,2,1,1,1,1,2,1,1,1,1,2}	\N	\N	\N	\N	\N
14	{18,19,20,0,1,2,3,4,5,18,19,20,21,22,23,12,13,14,12,13,14,15,16,17,0,1,2,3,4,5,15,16,17,6,7,8,9,10,11,6,7,8,9,10,11,21,22,23}	{0,0,0,1,1,1,1,1,1,2,2,2,2,2,2,3,3,3,4,4,4,4,4,4,5,5,5,6,6,6,7,7,7,8,8,8,9,9,9,10,10,10,10,10,10,11,11,11}	{0,0,1,1,2,2,2,3,4,5,6,7,8,9,10,11,12,13,14,15,15,15,16,16,17,17,18,19,20,21,22,23,24,24,25,25,26,26,26,27,27,28,28,29,29,29,30,30,30,31,31,32,32,32,33,33,34,34,34,35,35,36,36,37,37,37,38,38,39,40,41,42,43,44,45,45,46,46,46,47,47}	{1,2,1,2,0,1,2,1,2,1,0,1,2,0,1,2,2,1,0,0,1,2,1,2,1,2,1,0,1,2,2,1,1,2,0,1,0,1,2,1,2,1,2,0,1,2,0,1,2,0,1,0,1,2,0,1,0,1,2,1,2,1,2,0,1,2,0,1,2,1,0,1,2,2,0,1,0,1,2,1,2}	{1,2,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,2,1,1,1,1,1,1,1,2,1,2,1,1,1,1,2,1,2,1,1,1,1,1,1,1,2,1,1,1,1,2,1,1,1,1,2,1,2,1,1,1,1,2,1,1,1,1,1,1,1,2,1,1,1,1,2}	\N	\N	\N	\N	\N
15	{0,5,7,14,17,11,6,21,22,23,18,15,2,12,1,3,8,9,19,20,10,13,23,4,9,10,11,18,19,20,16,6,7,8,21,0,1,2,22,12,13,14,3,4,5,15,16,17}	{0,1,2,3,4,5,6,7,7,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,22,22,23,23,23,24,25,25,25,26,27,27,27,28,29,29,29,30,30,30,31,31,31}	{0,0,1,1,1,2,2,2,3,3,4,4,4,5,5,6,6,7,8,9,10,10,11,11,11,12,12,12,13,13,13,14,14,15,15,16,16,17,17,18,18,19,19,19,20,20,20,21,21,22,22,23,23,24,25,26,27,28,29,30,30,31,32,33,34,34,35,36,37,38,38,38,39,40,41,42,43,44,45,46,47}	{1,2,0,1,2,0,1,2,1,2,0,1,2,0,1,0,1,2,1,0,1,2,0,1,2,0,1,2,0,1,2,0,1,1,2,1,2,1,2,1,2,0,1,2,0,1,2,1,2,1,2,1,2,1,2,2,0,1,2,0,1,2,1,0,0,1,1,2,1,0,1,2,1,0,1,0,1,2,2,2,1}	{1,2,1,1,1,1,1,1,1,2,1,1,1,1,2,1,2,1,1,1,1,2,1,1,1,1,1,1,1,1,1,1,2,1,2,1,2,1,2,1,2,1,1,1,1,1,1,1,2,1,2,1,2,1,1,1,1,1,1,1,2,1,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}	\N	\N	\N	\N	\N
16	{0,0,4,0,4,0,8,0,12,0,12,0,16,0,13,1,16,0,17,1,20,0,21,1,5,1,9,1,21,1,1,1,5,1,6,2,6,2,10,2,2,2,3,3,10,2,3,3,7,3,7,3,11,3,15,3,15,3,19,3,18,2,19,3,22,2,23,3,14,2,18,2}	{0,0,12,12,12,3,3,9,9,9,9,9,7,7,7,1,1,1,10,10,6,6,6,2,2,4,4,4,5,5,11,11,11,11,8,8}	{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35}	{0,1,1,1,0,0,1,1,1,1,1,0,1,0,0,1,1,0,0,1,1,0,1,0,1,1,1,0,0,1,0,1,1,1,1,0}	{3,1,2,3,1,2,2,3,1,3,3,1,1,3,2,3,2,1,2,2,3,1,1,2,2,1,3,1,2,2,1,1,3,3,3,2}	\N	\N	\N	\N	\N
\.


--
-- Data for Name: release_draw; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_draw (release, codes, counts) FROM stdin;
10	{0,0,0,0,1,1,0,3,1,1,1,1,2,2,1,3,2,0,3,3,0,4,0,1,5,1,0,5,1,1,6,2,0,7,3,1,8,0,1,9,1,0,10,2,1,11,3,1,12,0,0,13,1,1,14,2,1,15,3,0,16,0,1,17,1,1,18,2,0,19,3,1,20,0,1,21,1,0,22,2,1,23,3,1}	{3,1,1,3,3,1,3,3,1,3,2,3,3,2,3,2,3,2,3,3,3,3,3,3,3,3,3,3}
\.


--
-- Data for Name: release_event; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_event (event, release, kind, reason, at, by, readers) FROM stdin;
1	1	superseded	release 2 took its place in ward.patients	2026-11-23 06:42:20.116099+00	postgres	\N
2	3	withdrawn	a patient objected	2026-11-23 06:42:20.907976+00	postgres	{postgres}
3	8	stale	INSERT on ward.person	2026-11-23 06:42:21.792195+00	postgres	\N
4	11	superseded	release 12 took its place in ward.visits	2026-11-23 06:42:24.48+00	postgres	\N
5	13	stale	INSERT on ward.member	2026-11-23 06:42:24.775993+00	postgres	\N
6	13	superseded	release 14 took its place in ward.members	2026-11-23 06:42:24.783864+00	postgres	\N
\.


--
-- Data for Name: release_respondent; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.release_respondent (release, respondents, group_ids, parts, sensitive_codes, shown_codes) FROM stdin;
8	{1,10,11,12,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,28,29,3,30,31,32,33,34,35,36,37,38,39,4,40,41,42,43,44,45,46,47,48,49,5,50,51,52,53,54,55,56,57,58,59,6,60,61,62,63,64,65,66,67,68,69,7,70,71,72,8,9}	{7,6,6,6,3,3,3,4,4,4,2,7,2,2,1,1,7,7,7,7,5,5,7,5,0,0,0,6,6,6,3,3,3,5,4,4,4,2,2,2,1,1,7,7,5,7,7,5,5,5,0,0,0,6,6,5,6,3,3,3,4,4,4,2,2,2,0,1,1,7,0,0}	{1,4,4,4,5,5,5,6,6,6,7,1,7,7,8,8,0,1,1,1,2,2,1,2,3,3,3,4,4,4,5,5,5,2,6,6,6,7,7,7,8,8,0,1,2,1,1,2,2,2,3,3,3,4,4,2,4,5,5,5,6,6,6,7,7,7,3,8,8,0,3,3}	{1,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1,0,1,2,2,1,1,0,1,2,2,1,0,1,2,2,1,0,0,1,2,2,1,0,1,2,2,1,1,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1}	\N
9	{1,10,11,12,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,28,29,3,30,31,32,33,34,35,36,37,38,39,4,40,41,42,43,44,45,46,47,48,49,5,50,51,52,53,54,55,56,57,58,59,6,60,61,62,63,64,65,66,67,68,69,7,70,71,72,73,8,9}	{7,6,6,6,4,4,4,0,0,0,1,7,1,1,2,2,7,7,7,7,5,5,7,5,3,3,3,6,6,6,4,4,4,5,0,0,0,1,1,1,2,2,7,7,5,7,7,5,5,5,3,3,3,6,6,5,6,4,4,4,0,0,0,1,1,1,3,2,2,7,-1,3,3}	{9,7,7,7,5,5,5,1,1,1,2,9,2,2,3,3,8,9,9,9,6,6,9,6,4,4,4,7,7,7,5,5,5,6,1,1,1,2,2,2,3,3,8,9,6,9,9,6,6,6,4,4,4,7,7,6,7,5,5,5,1,1,1,2,2,2,4,3,3,8,0,4,4}	{1,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1,0,1,2,2,1,1,0,1,2,2,1,0,1,2,2,1,0,0,1,2,2,1,0,1,2,2,1,1,0,1,2,2,1,0,1,2,2,1,2,0,1,2,0,2,1}	\N
11	{0,10,12,14,16,18,2,20,22,24,26,28,30,32,34,36,38,4,40,42,44,46,48,50,52,54,56,58,6,8}	{2,1,2,0,1,2,3,0,1,2,0,1,4,0,1,4,0,0,3,4,0,3,4,1,3,4,1,3,2,3}	{0,22,4,16,23,6,12,17,24,8,18,25,9,19,26,10,20,21,1,11,21,3,13,22,5,15,23,7,2,14}	{15,18,21,18,6,2,23,9,22,5,25,8,13,28,14,24,3,4,17,26,19,7,1,20,27,12,11,0,10,16}	\N
12	{1,11,13,15,17,19,21,23,25,27,29,3,31,33,35,37,39,41,43,45,47,49,5,51,53,55,57,59,7,9}	{3,1,0,2,1,0,2,3,4,2,3,2,4,5,3,4,5,3,4,5,0,4,1,5,0,1,5,0,0,2}	{3,23,5,14,25,6,16,0,7,17,1,10,8,18,2,9,19,3,11,20,4,13,21,22,5,15,24,6,4,12}	{0,10,10,4,7,5,9,8,3,8,2,1,3,0,7,6,4,9,0,6,6,0,1,5,7,5,4,5,8,2}	\N
13	{1,10,11,12,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,28,29,3,30,31,32,33,34,35,36,37,38,39,4,40,41,42,43,44,45,46,47,48,49,5,50,51,52,53,54,55,56,57,58,59,6,60,61,62,63,64,65,66,67,68,69,7,70,71,72,8,9}	{7,0,0,4,4,4,2,2,2,3,3,7,3,1,1,1,7,7,7,5,5,5,5,6,6,6,0,0,0,4,4,4,2,5,2,2,3,3,3,1,1,1,7,7,5,7,5,5,5,6,6,6,0,0,0,6,4,4,4,2,2,2,3,3,3,1,6,1,1,7,6,0}	{1,10,11,12,13,14,15,16,17,18,19,2,20,21,22,23,0,1,2,3,4,5,3,6,7,8,9,10,11,12,13,14,15,4,16,17,18,19,20,21,22,23,0,1,5,2,3,4,5,6,7,8,9,10,11,6,12,13,14,15,16,17,18,19,20,21,7,22,23,0,8,9}	{1,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1,0,1,2,2,1,1,0,1,2,2,1,0,1,2,2,1,0,0,1,2,2,1,0,1,2,2,1,1,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1}	\N
14	{1,10,11,12,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,28,29,3,30,31,32,33,34,35,36,37,38,39,4,40,41,42,43,44,45,46,47,48,49,5,50,51,52,53,54,55,56,57,58,59,6,60,61,62,63,64,65,66,67,68,69,7,70,71,72,73,74,75,76,77,78,79,8,80,81,82,83,84,85,86,87,88,89,9,90,91,92,93,94,95,96}	{5,9,9,3,3,3,7,7,7,0,0,5,0,11,11,11,5,5,5,6,6,6,6,8,8,8,9,9,9,3,3,3,7,6,7,7,0,0,0,11,11,11,5,5,6,5,6,6,6,8,8,8,9,9,9,8,3,3,3,7,7,7,0,0,0,11,8,11,11,5,1,1,1,1,1,10,10,8,10,10,10,10,4,4,4,4,4,4,9,2,2,2,2,2,2,1}	{25,37,38,15,16,17,30,31,32,0,1,26,2,45,46,47,24,25,26,27,28,29,27,33,34,35,36,37,38,15,16,17,30,28,31,32,0,1,2,45,46,47,24,25,29,26,27,28,29,33,34,35,36,37,38,33,15,16,17,30,31,32,0,1,2,45,34,46,47,24,4,5,6,7,8,39,40,35,41,42,43,44,18,19,20,21,22,23,36,9,10,11,12,13,14,3}	{1,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1,0,1,2,2,1,1,0,1,2,2,1,0,1,2,2,1,0,0,1,2,2,1,0,1,2,2,1,1,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1,0,1,2,2,1,1,0,1,2,2,1,0,1}	\N
15	{1,10,11,12,13,14,15,16,17,18,19,2,20,21,22,23,24,25,26,27,28,29,3,30,31,32,33,34,35,36,37,38,39,4,40,41,42,43,44,45,46,47,48,49,5,50,51,52,53,54,55,56,57,58,59,6,60,61,62,63,64,65,66,67,68,69,7,70,71,72,73,74,75,76,77,78,79,8,80,81,82,83,84,85,86,87,88,89,9,90,91,92,93,94,95,96}	{12,18,5,11,19,3,9,24,4,8,16,10,17,26,28,20,0,12,10,13,21,1,13,6,2,14,15,18,5,11,19,3,9,21,24,4,8,16,17,26,28,20,0,12,1,10,13,21,1,6,2,14,15,18,5,6,11,19,3,9,24,4,8,16,17,26,2,28,20,0,27,27,30,30,30,25,25,14,25,22,22,22,29,29,29,31,31,31,15,23,23,23,7,7,7,27}	{14,20,5,13,21,3,11,30,4,10,18,12,19,34,38,22,0,14,12,15,23,1,15,6,2,16,17,20,5,13,21,3,11,23,30,4,10,18,19,34,38,22,0,14,1,12,15,23,1,6,2,16,17,20,5,6,13,21,3,11,30,4,10,18,19,34,2,38,22,0,36,37,42,43,44,31,32,16,33,24,25,26,39,40,41,45,46,47,17,27,28,29,7,8,9,35}	{1,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1,0,1,2,2,1,1,0,1,2,2,1,0,1,2,2,1,0,0,1,2,2,1,0,1,2,2,1,1,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1,0,1,2,2,1,2,0,1,2,2,1,0,1,2,2,1,1,0,1,2,2,1,0,1}	\N
\.


--
-- Data for Name: sequential_knowledge; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.sequential_knowledge (dataset, name, kind, memory, labels, parents, oldest, offsets, following, probabilities, support, set_at) FROM stdin;
members	kept	constant	\N	\N	\N	\N	\N	\N	\N	\N	2026-11-23 06:42:25.256019+00
\.


--
-- Data for Name: watched; Type: TABLE DATA; Schema: bkpriv; Owner: postgres
--

COPY bkpriv.watched (token, at) FROM stdin;
cc3571d7-1712-4fe6-8381-cb42d49dee11	2026-11-23 06:42:21.336033+00
e0134b77-57f0-48bd-8f83-2c0c51273bad	2026-11-23 06:42:21.803979+00
8ce8db49-9fca-47bc-afb3-29b201914a78	2026-11-23 06:42:24.48+00
cf9fec22-823f-4df0-8db6-298666ab5558	2026-11-23 06:42:24.963708+00
64c9722d-3f2a-4b66-97f6-ed47a426edd6	2026-11-23 06:42:25.159691+00
\.


--
-- Data for Name: release_1; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_1 (age, sex, city, disease) FROM stdin;
[56,59)	m	Aln	flu
[51,60)	f	Brix	ulcer
[41,44)	m	Brix	asthma
[42,53)	f	Aln	flu
[28,35)	m	Aln	asthma
[42,53)	f	Aln	flu
[20,27)	m	Aln	asthma
[28,35)	m	Aln	ulcer
[40,47)	m	Aln	fracture
[29,34)	m	Brix	flu
[21,32)	f	Brix	ulcer
[22,31)	f	Aln	fracture
[21,32)	f	Brix	ulcer
[29,34)	m	Brix	fracture
[41,50)	f	Brix	asthma
[35,40)	m	Brix	flu
[45,52)	m	Brix	asthma
[48,51)	m	Aln	flu
[35,40)	m	Brix	ulcer
[28,35)	m	Aln	ulcer
[36,39)	m	Aln	fracture
[29,34)	m	Brix	fracture
[53,60)	m	Brix	fracture
[32,41)	f	Aln	asthma
[32,41)	f	Aln	fracture
[20,27)	m	Aln	flu
[21,28)	m	Brix	ulcer
[51,60)	f	Brix	ulcer
[53,60)	m	Brix	flu
[41,44)	m	Brix	flu
[20,27)	m	Aln	fracture
[21,32)	f	Brix	fracture
[48,51)	m	Aln	asthma
[22,31)	f	Aln	flu
[22,31)	f	Aln	asthma
[42,53)	f	Aln	asthma
[56,59)	m	Aln	ulcer
[41,44)	m	Brix	fracture
[53,60)	m	Brix	ulcer
[53,60)	m	Brix	asthma
[56,59)	m	Aln	flu
[20,27)	m	Aln	fracture
[45,52)	m	Brix	asthma
[29,34)	m	Brix	fracture
[41,50)	f	Brix	flu
[35,40)	m	Brix	fracture
[32,41)	f	Aln	flu
[41,44)	m	Brix	ulcer
[52,55)	m	Aln	ulcer
[45,52)	m	Brix	fracture
[52,55)	m	Aln	ulcer
[42,53)	f	Aln	asthma
[42,53)	f	Aln	ulcer
[21,28)	m	Brix	asthma
[45,52)	m	Brix	flu
[42,53)	f	Aln	flu
[48,51)	m	Aln	flu
[21,32)	f	Brix	flu
[20,27)	m	Aln	flu
[36,39)	m	Aln	asthma
[20,27)	m	Aln	flu
[56,59)	m	Aln	fracture
[32,41)	f	Aln	ulcer
[51,60)	f	Brix	fracture
[21,28)	m	Brix	flu
[28,35)	m	Aln	flu
[53,60)	m	Brix	flu
[20,27)	m	Aln	flu
[41,50)	f	Brix	ulcer
[29,34)	m	Brix	flu
[40,47)	m	Aln	ulcer
[36,39)	m	Aln	flu
[41,50)	f	Brix	flu
[48,51)	m	Aln	fracture
[35,40)	m	Brix	asthma
[41,50)	f	Brix	asthma
[51,60)	f	Brix	fracture
[35,40)	m	Brix	flu
[21,28)	m	Brix	asthma
[45,52)	m	Brix	asthma
[29,34)	m	Brix	fracture
[21,32)	f	Brix	asthma
[22,31)	f	Aln	asthma
[21,32)	f	Brix	asthma
[40,47)	m	Aln	ulcer
[21,28)	m	Brix	ulcer
[52,55)	m	Aln	fracture
[52,55)	m	Aln	asthma
[32,41)	f	Aln	ulcer
[36,39)	m	Aln	fracture
[35,40)	m	Brix	flu
[51,60)	f	Brix	flu
[22,31)	f	Aln	asthma
[28,35)	m	Aln	flu
[53,60)	m	Brix	flu
[40,47)	m	Aln	asthma
\.


--
-- Data for Name: release_10; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_10 (age, unit, stage) FROM stdin;
40	A	grave
23	D	mild
35	D	mild
22	C	grave
28	A	grave
31	D	grave
20	A	mild
32	A	mild
36	A	grave
25	B	grave
41	B	mild
37	B	grave
29	B	mild
20	D	grave
37	B	grave
24	A	grave
39	D	grave
33	B	grave
43	D	grave
31	D	grave
42	C	grave
27	D	grave
35	D	mild
32	A	mild
21	B	grave
23	D	mild
38	C	mild
27	D	grave
22	C	grave
30	C	grave
43	D	grave
35	D	mild
21	B	grave
25	B	grave
39	D	grave
25	B	grave
20	B	grave
26	C	mild
42	C	grave
32	A	mild
36	A	grave
34	C	grave
24	A	grave
43	D	grave
33	B	grave
20	A	mild
36	A	grave
23	D	mild
21	B	grave
40	A	grave
38	C	mild
23	C	mild
39	D	grave
38	C	mild
41	B	mild
37	B	grave
25	B	mild
34	C	grave
34	C	grave
26	C	mild
28	A	grave
41	B	mild
42	C	grave
30	C	grave
30	C	grave
27	D	grave
29	B	mild
20	A	mild
24	A	grave
22	C	grave
28	A	grave
40	A	grave
\.


--
-- Data for Name: release_10_randomization; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_10_randomization (attribute, value, retention, flip_probability) FROM stdin;
age	20	0.9115976715510193	0.003843579497781768
age	21	0.9115976715510193	0.003843579497781768
age	22	0.9115976715510193	0.003843579497781768
age	23	0.9115976715510193	0.003843579497781768
age	24	0.9115976715510193	0.003843579497781768
age	25	0.9115976715510193	0.003843579497781768
age	26	0.9115976715510193	0.003843579497781768
age	27	0.9115976715510193	0.003843579497781768
age	28	0.9115976715510193	0.003843579497781768
age	29	0.9115976715510193	0.003843579497781768
age	30	0.9115976715510193	0.003843579497781768
age	31	0.9115976715510193	0.003843579497781768
age	32	0.9115976715510193	0.003843579497781768
age	33	0.9115976715510193	0.003843579497781768
age	34	0.9115976715510193	0.003843579497781768
age	35	0.9115976715510193	0.003843579497781768
age	36	0.9115976715510193	0.003843579497781768
age	37	0.9115976715510193	0.003843579497781768
age	38	0.9115976715510193	0.003843579497781768
age	39	0.9115976715510193	0.003843579497781768
age	40	0.9115976715510193	0.003843579497781768
age	41	0.9115976715510193	0.003843579497781768
age	42	0.9115976715510193	0.003843579497781768
age	43	0.9115976715510193	0.003843579497781768
unit	A	0.9957480573583155	0.0014173142138948307
unit	B	0.9957480573583155	0.0014173142138948307
unit	C	0.9957480573583155	0.0014173142138948307
unit	D	0.9957480573583155	0.0014173142138948307
stage	mild	1	0
stage	grave	1	0
\.


--
-- Data for Name: release_11; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_11 (age, sex, diagnosis, treatment, nights) FROM stdin;
[20,37)	m	ulcer	cast	4
[50,59)	m	ulcer	cast	2
[30,39)	f	flu	drug	3
[20,37)	m	ulcer	rest	2
[30,39)	f	asthma	drug	3
[30,39)	f	ulcer	drug	0
[30,39)	f	flu	cast	0
[50,59)	m	asthma	rest	2
[50,59)	m	ulcer	cast	4
[38,49)	m	asthma	rest	2
[38,49)	m	fracture	rest	5
[50,59)	m	fracture	rest	5
[20,29)	f	ulcer	drug	3
[30,39)	f	fracture	cast	3
[50,59)	m	asthma	cast	1
[20,29)	f	flu	rest	3
[38,49)	m	ulcer	rest	2
[50,59)	m	flu	rest	1
[20,29)	f	asthma	drug	6
[20,29)	f	flu	cast	3
[38,49)	m	flu	drug	2
[30,39)	f	ulcer	drug	0
[20,29)	f	flu	cast	0
[30,39)	f	fracture	drug	0
[38,49)	m	flu	rest	5
[38,49)	m	asthma	drug	2
[30,39)	f	asthma	cast	3
[30,39)	f	ulcer	drug	6
[20,37)	m	flu	cast	1
[20,37)	m	asthma	rest	2
[30,39)	f	asthma	drug	0
[20,29)	f	fracture	cast	6
[30,39)	f	asthma	rest	6
[38,49)	m	asthma	drug	5
[20,37)	m	ulcer	drug	4
[38,49)	m	asthma	rest	8
[38,49)	m	asthma	cast	1
[30,39)	f	flu	drug	0
[50,59)	m	ulcer	cast	4
[20,37)	m	fracture	rest	7
[50,59)	m	asthma	cast	7
[20,37)	m	fracture	rest	8
[20,37)	m	asthma	cast	4
[20,29)	f	fracture	drug	0
[38,49)	m	flu	rest	5
[20,29)	f	flu	drug	0
[30,39)	f	ulcer	drug	6
[38,49)	m	fracture	rest	2
[30,39)	f	fracture	cast	0
[20,29)	f	flu	cast	3
[50,59)	m	flu	rest	5
[20,37)	m	asthma	rest	8
[50,59)	m	flu	drug	7
[50,59)	m	fracture	cast	4
[30,39)	f	flu	drug	3
[38,49)	m	fracture	rest	2
[20,37)	m	fracture	rest	1
[50,59)	m	asthma	drug	8
[50,59)	m	asthma	rest	4
[38,49)	m	ulcer	rest	8
[50,59)	m	flu	cast	7
[38,49)	m	flu	rest	4
[20,37)	m	asthma	cast	1
[50,59)	m	asthma	drug	1
[30,39)	f	asthma	drug	3
[50,59)	m	flu	rest	5
[20,37)	m	asthma	cast	1
[20,29)	f	ulcer	cast	6
[20,37)	m	flu	rest	1
[38,49)	m	flu	cast	8
[20,29)	f	asthma	cast	0
[20,29)	f	asthma	cast	6
[38,49)	m	fracture	drug	5
[20,37)	m	asthma	drug	4
[50,59)	m	ulcer	rest	1
[20,29)	f	asthma	drug	6
[20,29)	f	ulcer	drug	6
[20,37)	m	fracture	cast	7
[30,39)	f	flu	cast	6
[20,37)	m	flu	cast	2
[20,29)	f	asthma	rest	0
[50,59)	m	asthma	rest	2
[38,49)	m	asthma	cast	8
[20,37)	m	fracture	drug	5
[20,29)	f	fracture	drug	3
[38,49)	m	flu	cast	4
[38,49)	m	flu	cast	7
[38,49)	m	flu	cast	5
[20,37)	m	asthma	rest	4
[50,59)	m	ulcer	drug	1
[20,37)	m	fracture	rest	5
[50,59)	m	fracture	rest	4
[50,59)	m	flu	cast	1
[38,49)	m	ulcer	rest	8
[20,29)	f	flu	drug	3
[38,49)	m	fracture	rest	5
[30,39)	f	ulcer	rest	6
[20,37)	m	asthma	rest	8
[50,59)	m	fracture	cast	7
[38,49)	m	asthma	rest	8
[20,37)	m	flu	cast	4
[20,29)	f	asthma	drug	6
[50,59)	m	fracture	rest	7
[38,49)	m	ulcer	drug	2
[20,37)	m	fracture	rest	7
[50,59)	m	flu	cast	1
[20,37)	m	ulcer	cast	7
[50,59)	m	fracture	rest	8
[50,59)	m	ulcer	cast	4
[30,39)	f	flu	rest	3
[20,29)	f	flu	drug	0
[38,49)	m	flu	cast	5
[38,49)	m	ulcer	drug	8
[38,49)	m	flu	drug	2
[50,59)	m	flu	drug	7
[30,39)	f	flu	drug	6
[20,29)	f	fracture	drug	6
[38,49)	m	flu	drug	8
[50,59)	m	fracture	rest	7
[20,37)	m	fracture	cast	7
\.


--
-- Data for Name: release_12; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_12 (age, sex, diagnosis, treatment, nights) FROM stdin;
[51,60)	f	flu	drug	3
[21,28)	m	fracture	rest	8
[35,44)	m	flu	cast	7
[29,34)	m	flu	rest	5
[35,44)	m	flu	cast	4
[29,34)	m	flu	rest	1
[29,34)	m	ulcer	rest	4
[29,34)	m	fracture	rest	8
[29,34)	m	fracture	drug	2
[41,50)	f	asthma	drug	3
[45,60)	m	flu	rest	1
[51,60)	f	flu	rest	6
[45,60)	m	asthma	drug	5
[35,44)	m	fracture	drug	1
[35,44)	m	asthma	cast	4
[41,50)	f	asthma	rest	0
[21,28)	m	asthma	cast	1
[21,28)	m	ulcer	drug	5
[45,60)	m	fracture	rest	8
[51,60)	f	fracture	drug	0
[21,28)	m	asthma	rest	2
[21,28)	m	ulcer	cast	5
[29,34)	m	ulcer	cast	7
[45,60)	m	ulcer	rest	2
[41,50)	f	flu	drug	6
[35,44)	m	asthma	cast	7
[51,60)	f	flu	drug	3
[41,50)	f	ulcer	cast	0
[41,50)	f	ulcer	drug	3
[51,60)	f	asthma	cast	6
\.


--
-- Data for Name: release_13; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_13 (age, unit) FROM stdin;
[35,38)	E
[23,26)	E
[41,44)	E
[20,23)	A
[23,26)	E
[20,23)	E
[41,44)	A
[35,38)	B
[32,35)	A
[32,35)	E
[23,26)	A
[23,26)	E
[29,32)	A
[35,38)	B
[20,23)	E
[32,35)	E
[32,35)	B
[35,38)	A
[26,29)	E
[23,26)	E
[26,29)	A
[41,44)	A
[20,23)	B
[26,29)	A
[23,26)	B
[38,41)	A
[32,35)	E
[38,41)	E
[29,32)	A
[26,29)	B
[23,26)	B
[26,29)	E
[38,41)	E
[20,23)	B
[20,23)	E
[41,44)	B
[35,38)	B
[35,38)	A
[23,26)	B
[32,35)	B
[23,26)	E
[38,41)	B
[35,38)	B
[32,35)	E
[38,41)	E
[38,41)	E
[41,44)	B
[41,44)	E
[26,29)	E
[35,38)	A
[29,32)	B
[32,35)	E
[29,32)	B
[26,29)	B
[20,23)	B
[41,44)	B
[38,41)	E
[29,32)	B
[38,41)	B
[41,44)	E
[20,23)	B
[32,35)	B
[41,44)	B
[35,38)	E
[38,41)	B
[26,29)	B
[29,32)	E
[29,32)	E
[26,29)	B
[29,32)	E
[29,32)	B
[20,23)	A
\.


--
-- Data for Name: release_14; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_14 (age, unit) FROM stdin;
[38,41)	A
[26,29)	A
[35,38)	A
[20,26)	E
[29,32)	E
[38,44)	E
[20,23)	A
[38,44)	B
[26,32)	E
[41,44)	B
[20,23)	B
[26,32)	E
[38,41)	E
[29,32)	A
[32,38)	B
[32,35)	E
[29,32)	A
[38,44)	A
[41,44)	B
[26,29)	E
[41,44)	E
[20,26)	A
[32,38)	E
[26,29)	A
[41,44)	B
[23,26)	B
[26,29)	B
[32,35)	A
[35,38)	A
[20,23)	B
[38,41)	E
[38,44)	B
[35,38)	B
[35,38)	B
[20,26)	B
[38,44)	A
[23,26)	E
[20,23)	A
[32,38)	A
[35,38)	E
[35,38)	E
[29,32)	B
[26,32)	A
[26,29)	E
[23,26)	A
[26,29)	B
[35,38)	B
[23,26)	E
[29,32)	B
[32,38)	B
[20,26)	B
[20,23)	B
[23,26)	E
[26,29)	B
[20,23)	E
[38,41)	E
[26,29)	B
[38,41)	B
[29,32)	B
[32,35)	B
[35,38)	B
[38,41)	E
[20,23)	E
[41,44)	A
[26,29)	E
[23,26)	B
[41,44)	E
[38,44)	E
[41,44)	A
[20,26)	E
[20,23)	B
[23,26)	E
[38,41)	B
[26,32)	B
[32,35)	E
[20,23)	E
[35,38)	A
[32,38)	B
[20,26)	B
[38,41)	E
[41,44)	E
[32,35)	E
[23,26)	B
[26,32)	E
[29,32)	E
[32,35)	B
[26,32)	B
[29,32)	E
[32,35)	B
[23,26)	E
[29,32)	B
[32,38)	E
[32,35)	E
[38,41)	B
[41,44)	B
[32,35)	E
\.


--
-- Data for Name: release_15; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_15 (age, unit) FROM stdin;
[20,23)	B
[33,34)	E
[38,39)	E
[39,40)	E
[29,32)	B
[35,38)	E
[29,30)	B
[29,32)	E
[29,30)	E
[20,23)	B
[32,35)	A
[21,22)	A
[23,26)	B
[40,41)	E
[30,31)	E
[28,29)	E
[24,25)	E
[40,41)	A
[22,23)	B
[41,42)	B
[23,26)	E
[30,31)	A
[37,38)	A
[36,37)	B
[41,42)	A
[37,38)	B
[37,38)	E
[41,44)	A
[23,24)	E
[22,23)	E
[32,33)	E
[25,26)	E
[32,33)	B
[30,31)	B
[20,21)	E
[39,40)	E
[31,32)	B
[23,26)	A
[27,28)	A
[28,29)	E
[20,21)	E
[35,36)	A
[22,23)	A
[32,33)	A
[36,37)	A
[34,35)	B
[42,43)	B
[26,27)	B
[38,39)	B
[33,34)	E
[29,30)	E
[29,32)	E
[24,25)	E
[41,42)	B
[32,35)	B
[43,44)	B
[38,41)	E
[38,39)	E
[42,43)	E
[26,27)	A
[38,41)	A
[20,21)	B
[38,41)	B
[35,38)	E
[21,22)	B
[25,26)	B
[24,25)	B
[27,28)	E
[21,22)	B
[43,44)	E
[23,24)	E
[41,44)	E
[39,40)	B
[23,24)	B
[36,37)	B
[35,36)	B
[35,36)	E
[26,29)	B
[31,32)	B
[20,23)	E
[27,28)	B
[34,35)	E
[34,35)	E
[32,35)	B
[40,41)	B
[26,29)	E
[43,44)	E
[28,29)	B
[26,27)	B
[31,32)	A
[42,43)	A
[26,29)	A
[41,44)	B
[35,38)	B
[33,34)	B
[25,26)	A
\.


--
-- Data for Name: release_16; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_16 (age, unit, stage) FROM stdin;
[35,40)	D	grave
[38,44)	*	grave
[21,27)	*	grave
[38,44)	*	mild
[24,33)	A	grave
[38,44)	*	grave
[21,27)	*	mild
[26,31)	C	grave
[33,42)	*	grave
[23,28)	D	mild
[20,25)	A	mild
[22,31)	*	grave
[24,33)	A	grave
[23,28)	D	grave
[33,42)	*	grave
[22,31)	*	mild
[33,42)	*	grave
[33,42)	*	grave
[24,33)	A	mild
[21,27)	*	grave
[21,27)	*	grave
[25,42)	B	grave
[33,42)	*	grave
[33,42)	*	grave
[35,40)	D	mild
[25,42)	B	mild
[27,36)	D	grave
[34,39)	C	grave
[34,39)	C	mild
[22,31)	*	grave
[33,42)	*	grave
[22,31)	*	grave
[32,37)	A	mild
[24,33)	A	grave
[25,42)	B	mild
[33,42)	*	mild
[21,27)	*	grave
[38,44)	*	grave
[26,31)	C	mild
[34,39)	C	grave
[38,44)	*	grave
[25,42)	B	mild
[26,31)	C	grave
[38,44)	*	grave
[34,39)	C	mild
[20,25)	A	mild
[32,37)	A	mild
[24,33)	A	grave
[32,37)	A	grave
[33,42)	*	grave
[38,44)	*	grave
[35,40)	D	mild
[25,42)	B	mild
[27,36)	D	grave
[35,40)	D	grave
[33,42)	*	grave
[24,33)	A	grave
[38,44)	*	grave
[25,42)	B	mild
[21,27)	*	grave
[27,36)	D	mild
[23,28)	D	grave
[34,39)	C	grave
[32,37)	A	grave
[26,31)	C	mild
[27,36)	D	grave
[23,28)	D	mild
[22,31)	*	grave
[20,25)	A	grave
[33,42)	*	grave
[20,25)	A	mild
[27,36)	D	grave
\.


--
-- Data for Name: release_2; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_2 (age, sex, city, disease) FROM stdin;
[52,55)	m	Aln	asthma
[39,44)	m	Brix	flu
[39,44)	m	Brix	fracture
[51,60)	f	Brix	fracture
[31,38)	m	Brix	fracture
[48,53)	f	Aln	flu
[53,60)	m	Brix	flu
[51,60)	f	Brix	flu
[51,60)	f	Brix	ulcer
[40,45)	m	Aln	asthma
[40,45)	m	Aln	fracture
[39,44)	m	Brix	fracture
[22,31)	f	Aln	asthma
[39,44)	m	Brix	ulcer
[40,47)	f	Aln	fracture
[40,45)	m	Aln	ulcer
[46,51)	m	Aln	flu
[53,60)	m	Brix	flu
[31,38)	m	Brix	flu
[45,52)	m	Brix	fracture
[21,30)	m	Brix	ulcer
[28,33)	m	Aln	flu
[31,38)	m	Brix	flu
[34,39)	m	Aln	fracture
[48,53)	f	Aln	ulcer
[52,55)	m	Aln	ulcer
[45,52)	m	Brix	flu
[28,33)	m	Aln	ulcer
[56,59)	m	Aln	flu
[46,51)	m	Aln	asthma
[20,27)	m	Aln	fracture
[31,38)	m	Brix	asthma
[20,27)	m	Aln	asthma
[21,30)	m	Brix	fracture
[46,51)	m	Aln	fracture
[40,47)	f	Aln	asthma
[21,30)	m	Brix	fracture
[34,39)	m	Aln	flu
[48,53)	f	Aln	asthma
[41,50)	f	Brix	asthma
[21,32)	f	Brix	fracture
[53,60)	m	Brix	ulcer
[51,60)	f	Brix	fracture
[41,50)	f	Brix	flu
[21,32)	f	Brix	flu
[53,60)	m	Brix	fracture
[20,27)	m	Aln	flu
[32,39)	f	Aln	ulcer
[20,27)	m	Aln	flu
[28,33)	m	Aln	asthma
[22,31)	f	Aln	asthma
[52,55)	m	Aln	ulcer
[39,44)	m	Brix	asthma
[21,30)	m	Brix	ulcer
[56,59)	m	Aln	flu
[20,27)	m	Aln	fracture
[34,39)	m	Aln	flu
[32,39)	f	Aln	asthma
[22,31)	f	Aln	fracture
[53,60)	m	Brix	asthma
[46,51)	m	Aln	flu
[21,32)	f	Brix	asthma
[31,38)	m	Brix	fracture
[41,50)	f	Brix	flu
[34,39)	m	Aln	ulcer
[51,60)	f	Brix	ulcer
[32,39)	f	Aln	ulcer
[21,32)	f	Brix	ulcer
[21,32)	f	Brix	ulcer
[45,52)	m	Brix	asthma
[41,50)	f	Brix	asthma
[20,27)	m	Aln	flu
[40,47)	f	Aln	flu
[40,47)	f	Aln	flu
[21,32)	f	Brix	asthma
[22,31)	f	Aln	asthma
[20,27)	m	Aln	flu
[21,30)	m	Brix	asthma
[56,59)	m	Aln	fracture
[21,30)	m	Brix	asthma
[31,38)	m	Brix	flu
[41,50)	f	Brix	ulcer
[56,59)	m	Aln	ulcer
[22,31)	f	Aln	flu
[31,38)	m	Brix	flu
[21,30)	m	Brix	flu
[53,60)	m	Brix	flu
[31,38)	m	Brix	flu
[52,55)	m	Aln	fracture
[32,39)	f	Aln	flu
[34,39)	m	Aln	fracture
[46,51)	m	Aln	ulcer
[45,52)	m	Brix	asthma
[39,44)	m	Brix	ulcer
[45,52)	m	Brix	asthma
[34,39)	m	Aln	asthma
\.


--
-- Data for Name: release_4; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_4 (age, sex, city, group_id, disease) FROM stdin;
44	m	Aln	1	fracture
30	m	Aln	11	ulcer
54	m	Aln	7	asthma
27	m	Brix	14	flu
48	f	Aln	0	flu
30	f	Aln	6	asthma
43	m	Brix	18	fracture
41	f	Brix	5	asthma
40	m	Aln	1	asthma
48	m	Aln	3	fracture
59	f	Brix	16	ulcer
52	m	Aln	7	ulcer
58	m	Aln	9	fracture
55	m	Brix	17	ulcer
32	f	Aln	10	ulcer
47	f	Brix	5	flu
38	m	Aln	4	fracture
31	m	Brix	12	fracture
41	m	Brix	18	asthma
36	m	Aln	4	flu
49	m	Brix	8	asthma
53	f	Brix	16	fracture
22	m	Aln	2	flu
28	f	Aln	6	flu
54	m	Aln	7	ulcer
57	m	Brix	17	flu
29	m	Brix	12	fracture
57	m	Brix	17	flu
32	m	Aln	11	flu
55	m	Brix	17	asthma
27	m	Brix	14	ulcer
34	m	Aln	11	asthma
33	m	Brix	12	flu
31	f	Brix	15	ulcer
59	m	Brix	17	flu
53	m	Brix	17	fracture
45	m	Brix	8	flu
48	m	Aln	3	flu
26	f	Aln	6	asthma
34	m	Aln	11	flu
45	m	Brix	8	asthma
52	f	Aln	0	flu
38	m	Aln	4	fracture
22	f	Aln	6	fracture
40	f	Aln	10	flu
45	f	Brix	5	asthma
24	m	Aln	2	fracture
47	m	Brix	8	fracture
49	f	Brix	5	flu
36	m	Aln	4	asthma
38	f	Aln	10	ulcer
24	m	Aln	2	asthma
22	m	Aln	2	flu
24	f	Aln	6	asthma
56	m	Aln	9	ulcer
46	m	Aln	1	ulcer
50	f	Aln	0	asthma
50	m	Aln	3	flu
37	m	Brix	13	asthma
34	f	Aln	10	asthma
39	m	Brix	13	ulcer
43	m	Brix	18	flu
35	m	Brix	13	flu
51	f	Brix	16	ulcer
51	m	Brix	8	asthma
39	m	Brix	13	fracture
42	f	Aln	0	ulcer
25	m	Brix	14	asthma
26	m	Aln	2	flu
27	f	Brix	15	asthma
20	m	Aln	2	flu
29	m	Brix	12	flu
31	m	Brix	12	fracture
33	m	Brix	12	fracture
42	m	Aln	1	ulcer
57	f	Brix	16	flu
28	m	Aln	11	ulcer
36	f	Aln	10	fracture
25	f	Brix	15	asthma
46	f	Aln	0	asthma
20	m	Aln	2	fracture
43	f	Brix	5	ulcer
55	f	Brix	16	fracture
52	m	Aln	7	fracture
41	m	Brix	18	ulcer
50	m	Aln	3	asthma
58	m	Aln	9	flu
35	m	Brix	13	flu
37	m	Brix	13	flu
56	m	Aln	9	flu
21	f	Brix	15	flu
21	m	Brix	14	ulcer
44	f	Aln	0	flu
23	m	Brix	14	asthma
23	f	Brix	15	fracture
29	f	Brix	15	ulcer
\.


--
-- Data for Name: release_4_sensitive; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_4_sensitive (group_id, disease, count) FROM stdin;
8	fracture	1
15	ulcer	2
18	fracture	1
9	fracture	1
13	fracture	1
5	flu	2
3	flu	2
11	flu	2
6	flu	1
18	flu	1
14	asthma	2
3	fracture	1
13	asthma	1
0	asthma	2
7	fracture	1
10	fracture	1
9	ulcer	1
13	flu	3
6	fracture	1
18	asthma	1
8	asthma	3
2	asthma	1
7	asthma	1
1	asthma	1
17	fracture	1
18	ulcer	1
4	fracture	2
0	flu	3
15	fracture	1
1	ulcer	2
4	asthma	1
2	flu	4
14	flu	1
14	ulcer	2
15	flu	1
9	flu	2
17	ulcer	1
12	flu	2
10	ulcer	2
5	ulcer	1
4	flu	1
10	flu	1
5	asthma	2
16	ulcer	2
13	ulcer	1
17	asthma	1
10	asthma	1
0	ulcer	1
16	flu	1
2	fracture	2
15	asthma	2
1	fracture	1
17	flu	3
6	asthma	3
12	fracture	4
11	ulcer	2
3	asthma	1
16	fracture	2
11	asthma	1
8	flu	1
7	ulcer	2
\.


--
-- Data for Name: release_5; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_5 (age, sex, city, group_id) FROM stdin;
44	f	Aln	5
52	m	Aln	2
45	f	Brix	0
20	m	Aln	6
50	m	Aln	11
27	f	Brix	9
27	m	Brix	1
42	m	Aln	13
22	f	Aln	6
58	m	Aln	3
24	m	Aln	9
32	f	Aln	22
34	m	Aln	16
23	m	Brix	4
33	m	Brix	14
38	f	Aln	4
22	m	Aln	19
45	m	Brix	10
37	m	Brix	17
52	m	Aln	15
36	m	Aln	21
56	m	Aln	16
26	m	Aln	9
51	f	Brix	2
46	m	Aln	4
44	m	Aln	3
28	f	Aln	21
53	m	Brix	13
50	m	Aln	0
39	m	Brix	7
34	f	Aln	15
43	m	Brix	20
26	f	Aln	3
58	m	Aln	13
57	m	Brix	2
42	f	Aln	16
39	m	Brix	21
20	m	Aln	19
36	m	Aln	22
31	f	Brix	12
23	f	Brix	23
59	m	Brix	15
55	m	Brix	0
33	m	Brix	7
48	f	Aln	7
21	f	Brix	12
55	m	Brix	18
54	m	Aln	11
25	f	Brix	19
43	m	Brix	10
24	m	Aln	22
21	m	Brix	8
22	m	Aln	22
46	f	Aln	17
59	f	Brix	0
49	m	Brix	13
36	f	Aln	18
40	m	Aln	3
37	m	Brix	5
31	m	Brix	4
49	f	Brix	12
30	m	Aln	17
57	m	Brix	23
47	f	Brix	14
41	m	Brix	6
48	m	Aln	14
31	m	Brix	8
45	m	Brix	1
30	f	Aln	23
48	m	Aln	8
29	m	Brix	1
47	m	Brix	16
38	m	Aln	20
28	m	Aln	9
35	m	Brix	14
35	m	Brix	20
41	f	Brix	12
24	f	Aln	5
57	f	Brix	5
27	m	Brix	21
34	m	Aln	11
55	f	Brix	8
32	m	Aln	20
52	f	Aln	18
29	m	Brix	18
40	f	Aln	6
38	m	Aln	11
41	m	Brix	15
50	f	Aln	23
29	f	Brix	19
51	m	Brix	10
53	f	Brix	17
56	m	Aln	2
43	f	Brix	1
25	m	Brix	7
54	m	Aln	10
\.


--
-- Data for Name: release_5_sensitive; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_5_sensitive (group_id, disease, count) FROM stdin;
22	ulcer	1
20	fracture	2
16	asthma	1
8	fracture	1
15	asthma	1
23	flu	2
18	asthma	1
8	asthma	1
4	ulcer	1
18	flu	1
16	flu	1
6	fracture	1
17	asthma	1
22	asthma	1
2	asthma	1
20	ulcer	1
1	asthma	2
12	asthma	2
4	fracture	1
19	fracture	1
17	flu	2
6	flu	1
4	flu	2
13	fracture	1
16	ulcer	1
3	asthma	2
3	flu	1
14	flu	2
22	fracture	1
15	flu	1
14	asthma	1
18	ulcer	1
2	fracture	1
9	ulcer	1
2	ulcer	1
1	ulcer	1
5	fracture	1
11	fracture	2
16	fracture	1
23	ulcer	1
13	asthma	1
8	flu	2
17	fracture	1
5	ulcer	1
13	ulcer	1
19	flu	2
9	asthma	2
12	ulcer	1
9	fracture	1
22	flu	1
6	asthma	1
10	asthma	1
11	flu	2
18	fracture	1
5	flu	1
2	flu	1
1	fracture	1
0	flu	2
10	flu	2
23	asthma	1
21	asthma	1
0	ulcer	1
21	fracture	2
3	fracture	1
10	ulcer	1
14	ulcer	1
7	asthma	1
0	fracture	1
7	ulcer	1
21	ulcer	1
20	flu	1
5	asthma	1
15	ulcer	2
12	flu	1
6	ulcer	1
7	flu	2
13	flu	1
19	asthma	1
\.


--
-- Data for Name: release_6; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_6 (age, sex, city, disease) FROM stdin;
[50,60)	*	Aln	asthma
[40,50)	*	Brix	ulcer
[20,30)	*	Brix	ulcer
[50,60)	*	Brix	ulcer
[40,50)	*	Brix	flu
[20,30)	*	Aln	asthma
[30,40)	*	Brix	fracture
[20,30)	*	Aln	flu
[40,50)	*	Brix	flu
[40,50)	*	Brix	asthma
[50,60)	*	Brix	flu
[30,40)	*	Aln	ulcer
[40,50)	*	Aln	ulcer
[30,40)	*	Aln	ulcer
[30,40)	*	Aln	ulcer
[30,40)	*	Aln	flu
[50,60)	*	Brix	fracture
[20,30)	*	Brix	ulcer
[30,40)	*	Aln	ulcer
[30,40)	*	Aln	asthma
[30,40)	*	Aln	flu
[50,60)	*	Aln	asthma
[20,30)	*	Brix	asthma
[30,40)	*	Aln	fracture
[50,60)	*	Brix	ulcer
[50,60)	*	Aln	flu
[30,40)	*	Brix	asthma
[30,40)	*	Brix	fracture
[50,60)	*	Brix	flu
[50,60)	*	Brix	asthma
[50,60)	*	Brix	asthma
[30,40)	*	Aln	flu
[20,30)	*	Aln	asthma
[40,50)	*	Brix	fracture
[50,60)	*	Brix	fracture
[20,30)	*	Aln	flu
[40,50)	*	Aln	asthma
[20,30)	*	Brix	asthma
[30,40)	*	Brix	ulcer
[30,40)	*	Aln	fracture
[30,40)	*	Brix	flu
[40,50)	*	Brix	fracture
[40,50)	*	Aln	flu
[20,30)	*	Aln	fracture
[50,60)	*	Aln	flu
[40,50)	*	Aln	flu
[20,30)	*	Aln	asthma
[40,50)	*	Aln	fracture
[50,60)	*	Brix	fracture
[40,50)	*	Brix	flu
[20,30)	*	Brix	flu
[20,30)	*	Brix	fracture
[20,30)	*	Brix	flu
[20,30)	*	Aln	fracture
[30,40)	*	Brix	flu
[40,50)	*	Brix	flu
[40,50)	*	Brix	ulcer
[40,50)	*	Aln	asthma
[20,30)	*	Aln	fracture
[50,60)	*	Aln	ulcer
[50,60)	*	Brix	ulcer
[30,40)	*	Brix	flu
[30,40)	*	Brix	ulcer
[40,50)	*	Aln	flu
[40,50)	*	Aln	fracture
[20,30)	*	Brix	asthma
[20,30)	*	Brix	ulcer
[30,40)	*	Brix	flu
[50,60)	*	Aln	fracture
[30,40)	*	Brix	flu
[50,60)	*	Aln	ulcer
[20,30)	*	Brix	fracture
[50,60)	*	Aln	ulcer
[40,50)	*	Aln	flu
[30,40)	*	Aln	flu
[50,60)	*	Aln	fracture
[30,40)	*	Aln	asthma
[50,60)	*	Aln	ulcer
[40,50)	*	Brix	asthma
[40,50)	*	Aln	asthma
[30,40)	*	Aln	flu
[30,40)	*	Brix	fracture
[20,30)	*	Aln	asthma
[20,30)	*	Aln	asthma
[40,50)	*	Aln	ulcer
[50,60)	*	Aln	fracture
[50,60)	*	Aln	flu
[50,60)	*	Brix	flu
[50,60)	*	Brix	flu
[20,30)	*	Brix	asthma
[40,50)	*	Brix	asthma
[40,50)	*	Brix	asthma
[20,30)	*	Brix	fracture
[20,30)	*	Aln	flu
[20,30)	*	Aln	flu
[40,50)	*	Brix	asthma
\.


--
-- Data for Name: release_7; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_7 (age, unit, stage) FROM stdin;
[34,43)	C	mild
[22,31)	C	grave
[22,31)	C	mild
[34,43)	C	grave
[32,41)	A	mild
[23,32)	D	grave
[33,42)	B	mild
[21,30)	B	grave
[34,43)	C	grave
[22,31)	C	mild
[20,29)	A	mild
[33,42)	B	mild
[33,42)	B	grave
[20,29)	A	grave
[23,32)	D	mild
[34,43)	C	grave
[20,29)	A	grave
[20,29)	A	grave
[20,29)	A	grave
[35,44)	D	grave
[22,31)	C	grave
[34,43)	C	mild
[33,42)	B	grave
[21,30)	B	grave
[21,30)	B	mild
[20,29)	A	mild
[34,43)	C	grave
[21,30)	B	grave
[35,44)	D	mild
[34,43)	C	mild
[22,31)	C	grave
[34,43)	C	grave
[32,41)	A	mild
[35,44)	D	mild
[35,44)	D	grave
[32,41)	A	grave
[21,30)	B	grave
[20,29)	A	mild
[32,41)	A	grave
[32,41)	A	grave
[34,43)	C	grave
[23,32)	D	grave
[20,29)	A	grave
[32,41)	A	grave
[22,31)	C	grave
[22,31)	C	grave
[35,44)	D	grave
[21,30)	B	mild
[22,31)	C	grave
[33,42)	B	grave
[33,42)	B	grave
[23,32)	D	grave
[21,30)	B	grave
[35,44)	D	mild
[32,41)	A	grave
[33,42)	B	grave
[20,29)	A	grave
[32,41)	A	grave
[23,32)	D	grave
[21,30)	B	grave
[23,32)	D	grave
[23,32)	D	mild
[35,44)	D	grave
[23,32)	D	grave
[33,42)	B	mild
[33,42)	B	grave
[35,44)	D	grave
[21,30)	B	mild
[35,44)	D	grave
[32,41)	A	mild
[22,31)	C	mild
[23,32)	D	mild
\.


--
-- Data for Name: release_8; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_8 (age, unit) FROM stdin;
[36,39)	B
[39,42)	E
[42,45)	B
[33,36)	E
[30,33)	B
[18,24)	B
[27,30)	E
[18,24)	B
[27,30)	A
[18,24)	E
[36,39)	B
[24,27)	E
[42,45)	E
[39,42)	A
[24,27)	B
[18,24)	E
[39,42)	B
[24,27)	A
[24,27)	A
[39,42)	B
[33,36)	B
[18,24)	E
[36,39)	A
[42,45)	E
[39,42)	B
[33,36)	E
[27,30)	B
[24,27)	E
[30,33)	B
[24,27)	E
[42,45)	E
[39,42)	E
[30,33)	A
[36,39)	E
[24,27)	B
[27,30)	E
[18,24)	B
[18,24)	E
[30,33)	B
[24,27)	B
[27,30)	B
[30,33)	B
[33,36)	B
[33,36)	E
[33,36)	A
[39,42)	A
[33,36)	E
[42,45)	B
[18,24)	B
[27,30)	E
[30,33)	E
[18,24)	A
[39,42)	E
[27,30)	B
[36,39)	E
[18,24)	B
[18,24)	E
[27,30)	E
[18,24)	A
[36,39)	B
[36,39)	B
[36,39)	E
[30,33)	A
[42,45)	A
[33,36)	B
[30,33)	A
[33,36)	E
[39,42)	B
[27,30)	E
[30,33)	E
[24,27)	B
[36,39)	A
\.


--
-- Data for Name: release_9; Type: TABLE DATA; Schema: bkpriv_release; Owner: postgres
--

COPY bkpriv_release.release_9 (age, unit) FROM stdin;
[36,39)	B
[42,45)	B
[27,30)	E
[18,24)	E
[39,42)	E
[30,33)	B
[36,39)	E
[42,45)	A
[27,30)	B
[39,42)	B
[27,30)	B
[24,27)	B
[24,27)	E
[33,36)	B
[36,39)	B
[24,27)	E
[39,42)	B
[33,36)	A
[36,39)	B
[18,24)	B
[42,45)	E
[18,24)	B
[36,39)	E
[18,24)	B
[27,30)	A
[33,36)	E
[18,24)	A
[30,33)	A
[24,27)	A
[30,33)	B
[36,39)	E
[33,36)	B
[39,42)	E
[39,42)	A
[39,42)	E
[27,30)	E
[18,24)	B
[30,33)	A
[27,30)	E
[30,33)	A
[18,24)	B
[30,33)	E
[42,45)	B
[39,42)	B
[27,30)	E
[30,33)	B
[33,36)	E
[33,36)	E
[36,39)	B
[39,42)	A
[42,45)	E
[18,24)	E
[24,27)	B
[33,36)	B
[33,36)	E
[18,24)	E
[18,24)	E
[24,27)	B
[30,33)	B
[36,39)	A
[42,45)	E
[24,27)	E
[27,30)	E
[30,33)	E
[18,24)	E
[24,27)	A
[39,42)	B
[24,27)	B
[18,24)	A
[33,36)	E
[27,30)	B
[36,39)	A
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
-- Data for Name: member; Type: TABLE DATA; Schema: ward; Owner: postgres
--

COPY ward.member (id, age, unit) FROM stdin;
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
73	21	E
74	22	B
75	23	A
76	24	B
77	25	E
78	26	E
79	27	B
80	28	A
81	29	B
82	30	E
83	31	E
84	32	B
85	33	A
86	34	B
87	35	E
88	36	E
89	37	B
90	38	A
91	39	B
92	40	E
93	41	E
94	42	B
95	43	A
96	20	B
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
-- Data for Name: visit; Type: TABLE DATA; Schema: ward; Owner: postgres
--

COPY ward.visit (patient, day, age, sex, diagnosis, treatment, nights) FROM stdin;
1	2024-02-01	27	m	ulcer	cast	1
2	2024-01-01	34	m	ulcer	rest	2
3	2024-02-01	41	f	asthma	cast	3
4	2024-01-01	48	m	flu	rest	4
5	2024-02-01	55	m	fracture	rest	5
6	2024-01-01	22	f	asthma	drug	6
7	2024-02-01	29	m	fracture	drug	7
8	2024-01-01	36	m	asthma	rest	8
9	2024-02-01	43	f	asthma	drug	0
10	2024-01-01	50	m	flu	rest	1
11	2024-02-01	57	m	flu	drug	2
12	2024-01-01	24	f	fracture	drug	3
13	2024-02-01	31	m	fracture	cast	4
14	2024-01-01	38	m	flu	cast	5
15	2024-02-01	45	f	flu	drug	6
16	2024-01-01	52	m	asthma	cast	7
17	2024-02-01	59	m	flu	drug	8
18	2024-01-01	26	f	asthma	cast	0
19	2024-02-01	33	m	flu	cast	1
20	2024-01-01	40	m	asthma	rest	2
21	2024-02-01	47	f	ulcer	rest	3
22	2024-01-01	54	m	ulcer	cast	4
23	2024-02-01	21	m	asthma	rest	5
24	2024-01-01	28	f	asthma	cast	6
25	2024-02-01	35	m	flu	rest	7
26	2024-01-01	42	m	ulcer	rest	8
27	2024-02-01	49	f	flu	drug	0
28	2024-01-01	56	m	ulcer	drug	1
29	2024-02-01	23	m	flu	rest	2
30	2024-01-01	30	f	flu	drug	3
31	2024-02-01	37	m	flu	rest	4
32	2024-01-01	44	m	fracture	drug	5
33	2024-02-01	51	f	fracture	drug	6
34	2024-01-01	58	m	flu	cast	7
35	2024-02-01	25	m	asthma	cast	8
36	2024-01-01	32	f	ulcer	drug	0
37	2024-02-01	39	m	fracture	cast	1
38	2024-01-01	46	m	ulcer	drug	2
39	2024-02-01	53	f	fracture	cast	3
40	2024-01-01	20	m	flu	cast	4
41	2024-02-01	27	m	ulcer	rest	5
42	2024-01-01	34	f	ulcer	rest	6
43	2024-02-01	41	m	asthma	cast	7
44	2024-01-01	48	m	asthma	rest	8
45	2024-02-01	55	f	flu	cast	0
46	2024-01-01	22	m	flu	rest	1
47	2024-02-01	29	m	fracture	rest	2
48	2024-01-01	36	f	asthma	drug	3
49	2024-02-01	43	m	fracture	drug	4
50	2024-01-01	50	m	fracture	rest	5
51	2024-02-01	57	f	ulcer	drug	6
52	2024-01-01	24	m	fracture	rest	7
53	2024-02-01	31	m	fracture	drug	8
54	2024-01-01	38	f	flu	drug	0
55	2024-02-01	45	m	asthma	cast	1
56	2024-01-01	52	m	ulcer	cast	2
57	2024-02-01	59	f	ulcer	drug	3
58	2024-01-01	26	m	asthma	cast	4
59	2024-02-01	33	m	flu	drug	5
0	2024-01-02	20	f	fracture	cast	6
1	2024-02-02	27	m	asthma	cast	7
2	2024-01-02	34	m	fracture	rest	8
3	2024-02-02	41	f	asthma	rest	0
4	2024-01-02	48	m	asthma	cast	1
5	2024-02-02	55	m	flu	rest	2
6	2024-01-02	22	f	flu	cast	3
7	2024-02-02	29	m	fracture	rest	4
8	2024-01-02	36	m	fracture	rest	5
9	2024-02-02	43	f	flu	drug	6
10	2024-01-02	50	m	flu	drug	7
11	2024-02-02	57	m	asthma	rest	8
12	2024-01-02	24	f	flu	drug	0
13	2024-02-02	31	m	asthma	rest	1
14	2024-01-02	38	m	flu	drug	2
15	2024-02-02	45	f	asthma	drug	3
16	2024-01-02	52	m	ulcer	cast	4
17	2024-02-02	59	m	ulcer	cast	5
18	2024-01-02	26	f	asthma	drug	6
19	2024-02-02	33	m	asthma	cast	7
20	2024-01-02	40	m	flu	drug	8
21	2024-02-02	47	f	ulcer	cast	0
22	2024-01-02	54	m	flu	cast	1
23	2024-02-02	21	m	ulcer	rest	2
24	2024-01-02	28	f	flu	rest	3
25	2024-02-02	35	m	flu	cast	4
26	2024-01-02	42	m	flu	rest	5
27	2024-02-02	49	f	fracture	cast	6
28	2024-01-02	56	m	fracture	rest	7
29	2024-02-02	23	m	flu	rest	8
30	2024-01-02	30	f	asthma	drug	0
31	2024-02-02	37	m	ulcer	drug	1
32	2024-01-02	44	m	fracture	rest	2
33	2024-02-02	51	f	ulcer	drug	3
34	2024-01-02	58	m	fracture	rest	4
35	2024-02-02	25	m	flu	drug	5
36	2024-01-02	32	f	ulcer	drug	6
37	2024-02-02	39	m	ulcer	cast	7
38	2024-01-02	46	m	asthma	cast	8
39	2024-02-02	53	f	asthma	drug	0
40	2024-01-02	20	m	flu	cast	1
41	2024-02-02	27	m	flu	drug	2
42	2024-01-02	34	f	fracture	cast	3
43	2024-02-02	41	m	asthma	cast	4
44	2024-01-02	48	m	fracture	rest	5
45	2024-02-02	55	f	fracture	rest	6
46	2024-01-02	22	m	ulcer	cast	7
47	2024-02-02	29	m	fracture	rest	8
48	2024-01-02	36	f	fracture	cast	0
49	2024-02-02	43	m	flu	rest	1
50	2024-01-02	50	m	asthma	rest	2
51	2024-02-02	57	f	ulcer	drug	3
52	2024-01-02	24	m	ulcer	drug	4
53	2024-02-02	31	m	asthma	rest	5
54	2024-01-02	38	f	flu	drug	6
55	2024-02-02	45	m	fracture	rest	7
56	2024-01-02	52	m	asthma	drug	8
57	2024-02-02	59	f	fracture	drug	0
58	2024-01-02	26	m	asthma	cast	1
59	2024-02-02	33	m	asthma	cast	2
0	2024-01-03	20	f	flu	drug	3
1	2024-02-03	27	m	flu	cast	4
2	2024-01-03	34	m	fracture	drug	5
3	2024-02-03	41	f	fracture	cast	6
4	2024-01-03	48	m	flu	cast	7
5	2024-02-03	55	m	flu	rest	8
6	2024-01-03	22	f	asthma	rest	0
7	2024-02-03	29	m	flu	cast	1
8	2024-01-03	36	m	asthma	rest	2
9	2024-02-03	43	f	flu	cast	3
10	2024-01-03	50	m	asthma	rest	4
11	2024-02-03	57	m	ulcer	rest	5
12	2024-01-03	24	f	ulcer	drug	6
13	2024-02-03	31	m	asthma	drug	7
14	2024-01-03	38	m	asthma	rest	8
15	2024-02-03	45	f	flu	drug	0
16	2024-01-03	52	m	ulcer	rest	1
17	2024-02-03	59	m	flu	drug	2
18	2024-01-03	26	f	ulcer	drug	3
19	2024-02-03	33	m	flu	cast	4
20	2024-01-03	40	m	flu	cast	5
21	2024-02-03	47	f	flu	drug	6
22	2024-01-03	54	m	fracture	cast	7
23	2024-02-03	21	m	fracture	drug	8
24	2024-01-03	28	f	flu	cast	0
25	2024-02-03	35	m	asthma	cast	1
26	2024-01-03	42	m	ulcer	rest	2
27	2024-02-03	49	f	fracture	rest	3
28	2024-01-03	56	m	ulcer	cast	4
29	2024-02-03	23	m	fracture	rest	5
30	2024-01-03	30	f	flu	cast	6
31	2024-02-03	37	m	ulcer	rest	7
32	2024-01-03	44	m	ulcer	rest	8
33	2024-02-03	51	f	asthma	drug	0
34	2024-01-03	58	m	asthma	drug	1
35	2024-02-03	25	m	flu	rest	2
36	2024-01-03	32	f	flu	drug	3
37	2024-02-03	39	m	fracture	rest	4
38	2024-01-03	46	m	asthma	drug	5
39	2024-02-03	53	f	fracture	drug	6
40	2024-01-03	20	m	fracture	cast	7
41	2024-02-03	27	m	ulcer	cast	8
42	2024-01-03	34	f	fracture	drug	0
43	2024-02-03	41	m	fracture	cast	1
44	2024-01-03	48	m	flu	drug	2
45	2024-02-03	55	f	asthma	cast	3
46	2024-01-03	22	m	ulcer	cast	4
47	2024-02-03	29	m	ulcer	rest	5
48	2024-01-03	36	f	asthma	rest	6
49	2024-02-03	43	m	flu	cast	7
50	2024-01-03	50	m	fracture	rest	8
51	2024-02-03	57	f	asthma	cast	0
52	2024-01-03	24	m	fracture	rest	1
53	2024-02-03	31	m	asthma	rest	2
54	2024-01-03	38	f	asthma	drug	3
55	2024-02-03	45	m	flu	drug	4
56	2024-01-03	52	m	flu	rest	5
57	2024-02-03	59	f	fracture	drug	6
58	2024-01-03	26	m	fracture	rest	7
59	2024-02-03	33	m	flu	drug	8
0	2024-01-04	20	f	flu	drug	0
1	2024-02-04	27	m	asthma	cast	1
2	2024-01-04	34	m	flu	cast	2
3	2024-02-04	41	f	asthma	drug	3
4	2024-01-04	48	m	flu	cast	4
5	2024-02-04	55	m	asthma	drug	5
6	2024-01-04	22	f	ulcer	cast	6
7	2024-02-04	29	m	ulcer	cast	7
8	2024-01-04	36	m	asthma	rest	8
9	2024-02-04	43	f	asthma	rest	0
10	2024-01-04	50	m	flu	cast	1
11	2024-02-04	57	m	ulcer	rest	2
12	2024-01-04	24	f	flu	cast	3
13	2024-02-04	31	m	ulcer	rest	4
14	2024-01-04	38	m	flu	rest	5
15	2024-02-04	45	f	flu	drug	6
16	2024-01-04	52	m	flu	drug	7
17	2024-02-04	59	m	fracture	rest	8
18	2024-01-04	26	f	fracture	drug	0
19	2024-02-04	33	m	flu	rest	1
20	2024-01-04	40	m	asthma	drug	2
21	2024-02-04	47	f	ulcer	drug	3
22	2024-01-04	54	m	fracture	cast	4
23	2024-02-04	21	m	ulcer	cast	5
24	2024-01-04	28	f	fracture	drug	6
25	2024-02-04	35	m	flu	cast	7
26	2024-01-04	42	m	ulcer	drug	8
27	2024-02-04	49	f	ulcer	cast	0
28	2024-01-04	56	m	asthma	cast	1
29	2024-02-04	23	m	asthma	rest	2
30	2024-01-04	30	f	flu	rest	3
31	2024-02-04	37	m	flu	cast	4
32	2024-01-04	44	m	fracture	rest	5
33	2024-02-04	51	f	asthma	cast	6
34	2024-01-04	58	m	fracture	rest	7
35	2024-02-04	25	m	fracture	rest	8
36	2024-01-04	32	f	ulcer	drug	0
37	2024-02-04	39	m	fracture	drug	1
38	2024-01-04	46	m	fracture	rest	2
39	2024-02-04	53	f	flu	drug	3
40	2024-01-04	20	m	asthma	rest	4
41	2024-02-04	27	m	ulcer	drug	5
42	2024-01-04	34	f	ulcer	drug	6
43	2024-02-04	41	m	asthma	cast	7
44	2024-01-04	48	m	flu	cast	8
45	2024-02-04	55	f	fracture	drug	0
46	2024-01-04	22	m	asthma	cast	1
47	2024-02-04	29	m	fracture	drug	2
48	2024-01-04	36	f	asthma	cast	3
49	2024-02-04	43	m	asthma	cast	4
50	2024-01-04	50	m	flu	rest	5
51	2024-02-04	57	f	flu	rest	6
52	2024-01-04	24	m	fracture	cast	7
53	2024-02-04	31	m	fracture	rest	8
54	2024-01-04	38	f	flu	cast	0
55	2024-02-04	45	m	flu	rest	1
56	2024-01-04	52	m	asthma	rest	2
57	2024-02-04	59	f	flu	drug	3
58	2024-01-04	26	m	asthma	drug	4
59	2024-02-04	33	m	flu	rest	5
0	2024-01-05	20	f	asthma	drug	6
\.


--
-- Name: audit_id; Type: SEQUENCE SET; Schema: bkpriv; Owner: postgres
--

SELECT pg_catalog.setval('bkpriv.audit_id', 18, true);


--
-- Name: release_event_id; Type: SEQUENCE SET; Schema: bkpriv; Owner: postgres
--

SELECT pg_catalog.setval('bkpriv.release_event_id', 6, true);


--
-- Name: release_id; Type: SEQUENCE SET; Schema: bkpriv; Owner: postgres
--

SELECT pg_catalog.setval('bkpriv.release_id', 16, true);


--
-- Name: release_1 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_1 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_10 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_10 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_10_randomization guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_10_randomization FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_11 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_11 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_12 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_12 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_13 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_13 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_14 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_14 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_15 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_15 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


--
-- Name: release_16 guard; Type: TRIGGER; Schema: bkpriv_release; Owner: postgres
--

CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON bkpriv_release.release_16 FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard();


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

CREATE TRIGGER bkpriv_watch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON ward."case" FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale('64c9722d-3f2a-4b66-97f6-ed47a426edd6');

ALTER TABLE ward."case" ENABLE ALWAYS TRIGGER bkpriv_watch;


--
-- Name: member bkpriv_watch; Type: TRIGGER; Schema: ward; Owner: postgres
--

CREATE TRIGGER bkpriv_watch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON ward.member FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale('cf9fec22-823f-4df0-8db6-298666ab5558');

ALTER TABLE ward.member ENABLE ALWAYS TRIGGER bkpriv_watch;


--
-- Name: patient bkpriv_watch; Type: TRIGGER; Schema: ward; Owner: postgres
--

CREATE TRIGGER bkpriv_watch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON ward.patient FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale('cc3571d7-1712-4fe6-8381-cb42d49dee11');

ALTER TABLE ward.patient ENABLE ALWAYS TRIGGER bkpriv_watch;


--
-- Name: person bkpriv_watch; Type: TRIGGER; Schema: ward; Owner: postgres
--

CREATE TRIGGER bkpriv_watch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON ward.person FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale('e0134b77-57f0-48bd-8f83-2c0c51273bad');

ALTER TABLE ward.person ENABLE ALWAYS TRIGGER bkpriv_watch;


--
-- Name: visit bkpriv_watch; Type: TRIGGER; Schema: ward; Owner: postgres
--

CREATE TRIGGER bkpriv_watch AFTER TRUNCATE ON ward.visit FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale('8ce8db49-9fca-47bc-afb3-29b201914a78');

ALTER TABLE ward.visit ENABLE ALWAYS TRIGGER bkpriv_watch;


--
-- Name: visit bkpriv_watch_delete; Type: TRIGGER; Schema: ward; Owner: postgres
--

CREATE TRIGGER bkpriv_watch_delete AFTER DELETE ON ward.visit REFERENCING OLD TABLE AS bkpriv_old FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale('8ce8db49-9fca-47bc-afb3-29b201914a78', 'day');

ALTER TABLE ward.visit ENABLE ALWAYS TRIGGER bkpriv_watch_delete;


--
-- Name: visit bkpriv_watch_insert; Type: TRIGGER; Schema: ward; Owner: postgres
--

CREATE TRIGGER bkpriv_watch_insert AFTER INSERT ON ward.visit REFERENCING NEW TABLE AS bkpriv_new FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale('8ce8db49-9fca-47bc-afb3-29b201914a78', 'day');

ALTER TABLE ward.visit ENABLE ALWAYS TRIGGER bkpriv_watch_insert;


--
-- Name: visit bkpriv_watch_update; Type: TRIGGER; Schema: ward; Owner: postgres
--

CREATE TRIGGER bkpriv_watch_update AFTER UPDATE ON ward.visit REFERENCING OLD TABLE AS bkpriv_old NEW TABLE AS bkpriv_new FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale('8ce8db49-9fca-47bc-afb3-29b201914a78', 'day');

ALTER TABLE ward.visit ENABLE ALWAYS TRIGGER bkpriv_watch_update;


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
-- Name: TABLE release_10; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_10 FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_10 TO postgres;


--
-- Name: TABLE release_10_randomization; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_10_randomization FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_10_randomization TO postgres;


--
-- Name: TABLE release_11; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_11 FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_11 TO postgres;


--
-- Name: TABLE release_12; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_12 FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_12 TO postgres;


--
-- Name: TABLE release_13; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_13 FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_13 TO postgres;


--
-- Name: TABLE release_14; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_14 FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_14 TO postgres;


--
-- Name: TABLE release_15; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_15 FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_15 TO postgres;


--
-- Name: TABLE release_16; Type: ACL; Schema: bkpriv_release; Owner: postgres
--

REVOKE ALL ON TABLE bkpriv_release.release_16 FROM postgres;
GRANT SELECT,REFERENCES,DELETE,TRIGGER,TRUNCATE,UPDATE ON TABLE bkpriv_release.release_16 TO postgres;


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


