import assert from 'node:assert/strict';

/**
 * A log tells of what was done, and holds none of the secrets that were used for it.
 *
 * @param about what some line has to hold, such as the path of the request: a log that tells of nothing proves nothing
 */
export function assertNotLogged(logged: readonly string[], about: string, secrets: readonly string[]): void {
  assert.ok(
    logged.some((line) => line.includes(about)),
    `the log does not tell of ${about}`,
  );
  for (const secret of secrets) {
    assert.ok(secret.length > 8, 'there is a secret to look for');
    const line = logged.find((one) => one.includes(secret));
    assert.equal(line, undefined, 'the secret is in the log');
  }
}
