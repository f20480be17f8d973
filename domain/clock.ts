/** The current time, as a dependency: rules and records are testable at any moment. */
export type Clock = () => Date;
