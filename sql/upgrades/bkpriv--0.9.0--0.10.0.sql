-- From 0.9.0 to 0.10.0: no table has changed.
-- Alters: bkpriv.audit(bigint, jsonb, text); bkpriv.disclosure(bigint, jsonb, text); bkpriv.explain_disclosure(bigint, jsonb, text); bkpriv.posterior(bigint, jsonb, text); bkpriv.prior(text, jsonb, text)

DROP FUNCTION bkpriv.audit(bigint, jsonb, text);
DROP FUNCTION bkpriv.disclosure(bigint, jsonb, text);
DROP FUNCTION bkpriv.explain_disclosure(bigint, jsonb, text);
DROP FUNCTION bkpriv.posterior(bigint, jsonb, text);
DROP FUNCTION bkpriv.prior(text, jsonb, text);
