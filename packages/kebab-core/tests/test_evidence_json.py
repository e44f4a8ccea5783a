from kebab_core import Evidence


def test_z_score_of_stored_evidence_has_the_key_margin() -> None:
    evidence = Evidence(similarity=0.8, z_score=2.5)
    assert evidence.model_dump()["margin"] == 2.5
    assert Evidence.model_validate_json('{"similarity": 0.8, "margin": 2.5}') == evidence
    assert Evidence.model_validate_json(evidence.model_dump_json()) == evidence
