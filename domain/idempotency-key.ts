const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,200}$/;

/** What an `Idempotency-Key` header looks like: 1 to 200 visible ASCII characters. */
export function isIdempotencyKey(text: string): boolean {
  return IDEMPOTENCY_KEY.test(text);
}
