import { z } from 'zod';
import { parseGitUrl } from '../../domain/deploys/git-url.ts';
import { FairleadError } from '../../domain/errors.ts';
import type {
  CommitStatus,
  GitHost,
  HookTarget,
  HostedRepository,
  PushedHead,
  RegisteredHook,
} from '../../domain/git-hooks/git-host.ts';
import { hostOfRepository } from '../../domain/git-identities/git-host-name.ts';
import { plainTokenBody } from './gitlab-api.ts';
import {
  createHostCall,
  type HostAccess,
  type HostAnswer,
  type HostCall,
  type HostCallOptions,
  readAnswer,
  unavailable,
} from './host-call.ts';
import type { ListedHook } from './provider-api.ts';
import { PROVIDER_APIS } from './provider-apis.ts';

/** A repository at its host, ready for calls. */
interface Opened extends HostAccess {
  readonly call: HostCall;
  /** Path of the repository in the API. */
  readonly path: string;
  readonly signal: AbortSignal | undefined;
}

/** More would be a mistake of somebody: GitHub takes 20 of one event. */
const MOST_PAGES = 20;
/** Ours ask for at most so many on one page. A host that lists more is not believed: each entry that is wrong costs more. */
const MOST_ON_A_PAGE = 100;
/** That deliver to one address. */
const MOST_OF_ONE_ADDRESS = 20;

/** The APIs of GitHub, Gitea, Forgejo and GitLab over HTTP; what differs between them stands in {@link PROVIDER_APIS}. */
export function createGitHost(options: HostCallOptions): GitHost {
  const call = createHostCall(options);
  const open = (repository: HostedRepository, signal?: AbortSignal): Opened => ({
    ...locate(repository, options.platformGitUrl),
    call,
    signal,
  });
  return {
    setStatus: async (repository, status, signal) => setStatus(open(repository, signal), status),
    registerHook: async (repository, hook, signal) => registerHook(open(repository, signal), hook),
    async findHook(repository, address, signal) {
      const newest = (await listHooks(open(repository, signal), address)).at(-1);
      return newest === undefined ? null : { hookId: String(newest.id) };
    },
    findPusher: async (repository, head, signal) => findPusher(open(repository, signal), head),
    async removeHook(repository, address, signal) {
      const opened = open(repository, signal);
      for (const { id } of await listHooks(opened, address)) await removeHook(opened, id);
    },
  };
}

/** @throws SOURCE_REFUSED for an address that names no repository of such a host */
function locate(
  { provider, repositoryUrl, apiUrl, token }: HostedRepository,
  platformGitUrl: string | null,
): HostAccess & { readonly path: string } {
  const api = PROVIDER_APIS[provider];
  const target = parseGitUrl(repositoryUrl, platformGitUrl);
  const url = target.kind === 'http' ? new URL(target.url) : null;
  const path = url === null ? null : api.repository(url);
  const host = url === null ? null : hostOfRepository(provider, url.href);
  if (host === null || path === null) {
    throw new FairleadError('SOURCE_REFUSED', `The address names no repository of ${api.title}; correct it`);
  }
  const base = apiUrl ?? api.base(new URL(host.address));
  if (!URL.canParse(base)) throw new FairleadError('SOURCE_REFUSED', `The address of the API of ${api.title} is none`);
  // Behind ? or # the path of a call would be no path, and the address one of another route.
  if (/[?#]/.test(base)) {
    throw new FairleadError('SOURCE_REFUSED', `The address of the API of ${api.title} has a query or a fragment`);
  }
  return { api, base: base.replace(/\/+$/, ''), token, path };
}

async function setStatus(opened: Opened, status: CommitStatus): Promise<void> {
  const { api, call, path, signal } = opened;
  const description = oneLine(status.description, api.longestDescription);
  const body = api.statusBody({ ...status, description });
  const answer = await call(opened, { method: 'POST', path: path + api.statusPath(status.commit), body, signal });
  if (answer.ok || api.isUnchanged(answer, status)) return;
  if (api.isNoCommit(answer) || (await isGone(opened, answer, status.commit))) {
    throw new FairleadError('COMMIT_NOT_FOUND', `${api.title} has no commit ${status.commit} in this repository`);
  }
  throw refusal(opened, answer);
}

/** Where the host does not say why it refused a status. */
async function isGone({ api, call, path, signal, ...access }: Opened, { status }: HostAnswer, commit: string) {
  if (status !== 500 || api.commitPath === null) return false;
  const found = await call({ api, ...access }, { method: 'GET', path: path + api.commitPath(commit), signal });
  return found.status === 404;
}

/**
 * Newest wins: of two that register one address at once, each removes all but the newest hook, and so does the next one
 * after a crash between the calls.
 */
async function registerHook(opened: Opened, target: HookTarget): Promise<RegisteredHook> {
  const { api } = opened;
  const before = (await listHooks(opened, target.address)).at(-1);
  const changed = api.changeHook === null ? undefined : before;
  const written = await writeHook(opened, changed?.id ?? null, api.hookBody(target), target);
  const made = await asSigned(opened, written, target);
  const hooks = await listHooks(opened, target.address);
  const newest = hooks.at(-1)?.id ?? made.id;
  for (const { id } of hooks) if (id !== newest) await removeHook(opened, id);
  return { hookId: String(newest), proof: made.proof };
}

/** A GitLab that took no signing token gets the secret as its plain token. */
async function asSigned(opened: Opened, made: ListedHook, target: HookTarget): Promise<ListedHook> {
  if (opened.api !== PROVIDER_APIS.gitlab || made.proof === 'signature') return made;
  if (!('signing_token' in opened.api.hookBody(target))) return made;
  return await writeHook(opened, made.id, plainTokenBody(target), target);
}

async function writeHook(
  opened: Opened,
  id: number | null,
  body: object,
  { address, secret }: HookTarget,
): Promise<ListedHook> {
  const { api, call, path, signal } = opened;
  const hooks = `${path}/hooks`;
  const request = { body, secret, signal };
  const answer =
    id === null
      ? await call(opened, { method: 'POST', path: hooks, ...request })
      : await call(opened, { method: api.changeHook ?? 'PATCH', path: `${hooks}/${id}`, ...request });
  if (answer.ok) return readAnswer(opened, api.hook, answer.body);
  // Made by another between the look and the write, or removed.
  if (answer.status === 422 && /already exists/i.test(answer.words)) {
    throw unavailable(`${api.title} has just got this hook from another; try again`);
  }
  if (answer.status === 404 && id !== null) throw unavailable(`${api.title} has just lost this hook; try again`);
  if (answer.status === 400 || answer.status === 422) {
    const host = URL.canParse(address) ? new URL(address).host : 'that address';
    const words = answer.words === '' ? '' : `: ${answer.words}`;
    throw new FairleadError('VALIDATION_FAILED', `${api.title} refuses a hook that delivers to ${host}${words}`);
  }
  throw refusal(opened, answer);
}

/** Those that deliver to an address, the oldest first. */
async function listHooks(opened: Opened, address: string): Promise<readonly ListedHook[]> {
  const { api, call, path, signal } = opened;
  const found: ListedHook[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const answer = await call(opened, { method: 'GET', path: `${path}/hooks${api.page(page)}`, signal });
    if (!answer.ok) throw refusal(opened, answer);
    const listed = readAnswer(opened, z.array(z.unknown()), answer.body);
    if (listed.length > MOST_ON_A_PAGE)
      throw unavailable(`${api.title} lists more hooks on one page than it was asked for`);
    const hooks = readAnswer(opened, z.array(api.hook), listed);
    found.push(...hooks.filter((hook) => hook.address === address));
    if (found.length > MOST_OF_ONE_ADDRESS) {
      throw unavailable(`${api.title} has more than ${MOST_OF_ONE_ADDRESS} hooks of one address; remove some there`);
    }
    if (!answer.hasNext) return found.sort((a, b) => a.id - b.id);
  }
  throw unavailable(`${api.title} lists more than ${MOST_PAGES} pages of hooks for this repository; remove some there`);
}

/** The newest of one page counts: who pushes a head looks at it at once. */
async function findPusher(opened: Opened, { ref, commit }: PushedHead): Promise<string | null> {
  const { api, call, path, signal } = opened;
  const answer = await call(opened, { method: 'GET', path: path + api.pushesPath(ref), signal });
  if (!answer.ok) throw refusal(opened, answer);
  const listed = readAnswer(opened, z.array(z.unknown()), answer.body).slice(0, MOST_ON_A_PAGE);
  const pushes = readAnswer(opened, z.array(api.push), listed).filter(
    (push) => push?.ref === ref && push.commit === commit,
  );
  return (
    pushes.reduce((newest, push) => ((push?.id ?? 0) > (newest?.id ?? 0) ? push : newest), null)?.accountId ?? null
  );
}

async function removeHook(opened: Opened, id: number): Promise<void> {
  const { call, path, signal } = opened;
  const answer = await call(opened, { method: 'DELETE', path: `${path}/hooks/${id}`, signal });
  if (!answer.ok && answer.status !== 404 && answer.status !== 410) throw refusal(opened, answer);
}

function refusal({ api, base }: HostAccess, { status, words }: HostAnswer): FairleadError {
  const at = `${api.title} at ${new URL(base).host}`;
  if (status === 404 || status === 410 || status === 451) {
    return new FairleadError('NOT_FOUND', `${at} has no such repository, or hides it: the token needs ${api.scopes}`);
  }
  if (status >= 500) return unavailable(`${at} answered ${status}`);
  return new FairleadError('VALIDATION_FAILED', `${at} refuses this${words === '' ? '' : `: ${words}`}`);
}

/** Characters, not code units: a provider counts them so, and none is cut in half. */
function oneLine(text: string, most: number): string {
  const characters = Array.from(text, (character) => (character < ' ' || character === '\u007f' ? ' ' : character));
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}
