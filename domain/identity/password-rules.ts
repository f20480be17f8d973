/** Lengths in characters (code points), after {@link normalizePassword}. */
export const PASSWORD_LENGTH = { min: 10, max: 256 } as const;

/** A password of fewer different characters than this repeats itself (`aaaaaaaaaa`, `1212121212`). */
const MIN_DISTINCT = 4;

/**
 * The commonest passwords of ten characters and more in published breach lists; shorter ones are refused for their
 * length. Compared without case.
 */
const COMMON: ReadonlySet<string> = new Set([
  '0123456789',
  '0987654321',
  '1234567890',
  '12345678900',
  '12345678910',
  '1234567891',
  '1234567892',
  '123456789a',
  '123456789q',
  '123456789qwe',
  '123qwe123qwe',
  '123qweasdzxc',
  '1q2w3e4r5t',
  '1q2w3e4r5t6y',
  '1qaz2wsx3edc',
  '9876543210',
  'a123456789',
  'abc123456789',
  'abcd123456',
  'abcdefghij',
  'adminadmin',
  'administrator',
  'admin12345',
  'admin123456',
  'asdfghjkl1',
  'asdfghjkl;',
  'baseball123',
  'basketball',
  'butterfly1',
  'changeme123',
  'changemenow',
  'chocolate1',
  'computer123',
  'correcthorsebatterystaple',
  'football123',
  'hello12345',
  'iloveyou12',
  'iloveyou123',
  'letmein123',
  'letmein1234',
  'liverpool1',
  'manchester',
  'minecraft1',
  'mypassword',
  'p@ssw0rd123',
  'p@ssword123',
  'pa$$word123',
  'passw0rd123',
  'password01',
  'password10',
  'password11',
  'password12',
  'password123',
  'password1234',
  'password12345',
  'password123!',
  'passwordpassword',
  'princess123',
  'q1w2e3r4t5',
  'q1w2e3r4t5y6',
  'qazwsx1234',
  'qazwsxedc123',
  'qwerty1234',
  'qwerty12345',
  'qwerty123456',
  'qwertyuiop',
  'qwertyuiop123',
  'qwertyuiop[]',
  'secret12345',
  'starwars123',
  'sunshine123',
  'superman123',
  'test123456',
  'testtest123',
  'trustno1trustno1',
  'welcome123',
  'welcome1234',
  'zaq12wsxcde3',
  'zxcvbnm123',
]);

/** The form in which passwords are hashed and compared: one for all the ways a keyboard may enter a character (NFKC). */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

/**
 * Why a password is refused, in words for the person who chose it; null when it is good (NIST SP 800-63B, 3.1.1.2:
 * length, no common passwords, nothing taken from the account; no rules of composition).
 * @param email the account's normalized address.
 */
export function passwordProblem(password: string, email: string): string | null {
  const normalized = normalizePassword(password);
  const length = Array.from(normalized).length;
  if (length < PASSWORD_LENGTH.min) return `Use at least ${PASSWORD_LENGTH.min} characters; a sentence is fine`;
  if (length > PASSWORD_LENGTH.max) return `Use at most ${PASSWORD_LENGTH.max} characters`;
  const folded = normalized.toLowerCase().trim();
  const [local = ''] = email.split('@', 1);
  if (folded === email || folded === local) return 'Do not use the e-mail address as the password';
  if (COMMON.has(folded)) return 'This password is among the first that others would try; choose another';
  if (new Set(folded).size < MIN_DISTINCT) return 'This password repeats too few characters; choose another';
  return null;
}
