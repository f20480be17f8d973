import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

type Command = Readonly<Record<string, unknown>>;

const ITERATIONS = 4_096;
const FAILED = { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' };

/** The login of one connection, by SCRAM-SHA-256 (RFC 7677). */
export interface ScriptedLogin {
  /** Answers a command of the login; null for one that is not of a user known here. */
  answer(command: Command): Command | null;
  /** `<database>.<user>` who is logged in; null for nobody. */
  readonly user: () => string | null;
}

/** @param passwordOf of `<database>.<user>`; undefined for one that is not known here */
export function createScriptedLogin(passwordOf: (user: string) => string | undefined): ScriptedLogin {
  let user: string | null = null;
  let begun: {
    readonly user: string;
    readonly salted: Buffer;
    readonly nonce: string;
    readonly signed: string;
  } | null = null;

  const start = (command: Command): Command | null => {
    const message = textOf(command.payload);
    const [, bare = '', name = '', nonce = ''] = /^n,,(n=([^,]*),r=(.*))$/s.exec(message) ?? [];
    const wanted = `${command.$db}.${name}`;
    const password = passwordOf(wanted);
    if (password === undefined) return null;
    const salt = randomBytes(16);
    const whole = nonce + randomBytes(12).toString('base64');
    const first = `r=${whole},s=${salt.toString('base64')},i=${ITERATIONS}`;
    const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
    begun = { user: wanted, salted, nonce: whole, signed: `${bare},${first}` };
    return reply(first, false);
  };
  const proceed = (command: Command): Command | null => {
    if (begun === null) return user === null ? null : reply('', true);
    const { salted, nonce, signed, user: wanted } = begun;
    begun = null;
    const [, unproven = '', proof = ''] = /^(c=biws,r=.*),p=(.*)$/s.exec(textOf(command.payload)) ?? [];
    const known = `${signed},${unproven}`;
    const clientKey = hmac(salted, 'Client Key');
    const signature = hmac(hash(clientKey), known);
    const expected = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0))).toString('base64');
    if (unproven !== `c=biws,r=${nonce}` || proof !== expected) return FAILED;
    user = wanted;
    return reply(`v=${hmac(hmac(salted, 'Server Key'), known).toString('base64')}`, true);
  };
  return {
    answer: (command) =>
      'saslStart' in command ? start(command) : 'saslContinue' in command ? proceed(command) : null,
    user: () => user,
  };
}

function reply(text: string, done: boolean): Command {
  return { ok: 1, conversationId: 1, done, payload: Buffer.from(text) };
}

function textOf(payload: unknown): string {
  return (payload as { readonly buffer: Uint8Array }).buffer === undefined
    ? String(payload)
    : Buffer.from((payload as { readonly buffer: Uint8Array }).buffer).toString('utf8');
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const hash = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
