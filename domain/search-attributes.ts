/** Custom search attributes (all of type Keyword) of every workflow: what an operator filters by in the Temporal UI. */
export const SEARCH_ATTRIBUTES = {
  service: 'Service',
  environment: 'Environment',
  org: 'Org',
  stage: 'Stage',
} as const;
