export const MONGO_HOST = '127.0.0.1';

/** The one user of an embedded MongoDB. */
export const MONGO_USER = 'fairlead';

/** Where an embedded MongoDB answers, for people. */
export function mongoAddress(port: number): string {
  return `mongodb://${MONGO_HOST}:${port}`;
}

/** The same with the password, for processes. @param database that a client takes when it names none */
export function mongoUri(port: number, password: string, database = ''): string {
  const options = 'directConnection=true&authSource=admin&authMechanism=SCRAM-SHA-256';
  return `mongodb://${MONGO_USER}:${password}@${MONGO_HOST}:${port}/${database}?${options}`;
}

/** What the MongoDB stand-in reads its user from. Its command line would be everybody's to read. */
export function standInVariables(password: string): Record<string, string> {
  return { MONGO_STAND_IN_USER: MONGO_USER, MONGO_STAND_IN_PASSWORD: password };
}
