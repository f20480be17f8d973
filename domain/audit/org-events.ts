/**
 * What the admins of an org see of its audit trail: changes to the org, its people and its clients. Not where and when its
 * people log in: that is personal, and tells of other orgs that they are in.
 */
export const ORG_EVENTS = /^(?:org\.|oauth\.(?:client|llm)_|user\.(?:provisioned|second_factor_reset|sessions_ended)$)/;
