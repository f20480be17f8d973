/** The environments a service can be deployed to, most urgent first: builds for production go before the others. */
export const ENVIRONMENTS = ['prod', 'sandbox', 'uat'] as const;

export type Environment = (typeof ENVIRONMENTS)[number];
