/** What the service registry keeps of a service in one environment, and of a route: more in a catalog is a mistake. */
export const MOST_ROUTES = 500;
export const MOST_METHODS = 20;
/** Queues and schedules together. */
export const MOST_BINDINGS = 200;
