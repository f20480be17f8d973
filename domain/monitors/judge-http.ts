import type { HttpExpectation } from './check-kinds.ts';
import type { Problem } from './check-result.ts';
import { valueAt } from './json-path.ts';

/** What an answer over HTTP is judged by. */
export interface HttpAnswer {
  readonly status: number;
  /** The host that a redirect names, where it names one. */
  readonly redirectsTo: string | null;
}

/** Why an answer does not count as up. */
export interface HttpFault {
  readonly problem: Problem;
  readonly message: string;
}

/** Whether the body decides anything; otherwise it is not waited for. */
export function needsBody({ expectBodyContains, json }: HttpExpectation): boolean {
  return expectBodyContains !== null || json !== null;
}

/** By the status: the one that is expected, otherwise any 2xx (spec 3, "Monitor record"). Null: it is as expected. */
export function judgeStatus({ expectStatus }: HttpExpectation, { status, redirectsTo }: HttpAnswer): HttpFault | null {
  if (expectStatus === null ? status >= 200 && status < 300 : status === expectStatus) return null;
  const wanted = expectStatus === null ? '2xx' : String(expectStatus);
  if (redirectsTo !== null) {
    return { problem: 'redirect', message: `answered ${status}, a redirect to ${redirectsTo}, instead of ${wanted}` };
  }
  return { problem: 'status', message: `answered ${status} instead of ${wanted}` };
}

/** By the first part of the body. Null: it is as expected. */
export function judgeBody({ expectBodyContains, json }: HttpExpectation, body: string): HttpFault | null {
  if (expectBodyContains !== null && !body.includes(expectBodyContains)) {
    return { problem: 'body', message: 'the answer does not contain the expected text' };
  }
  if (json === null) return null;
  const found = valueAt(body, json.path);
  if (found === json.equals) return null;
  const what = found === null ? `has no ${json.path}` : `has another value at ${json.path}`;
  return { problem: 'json', message: `the answer ${what}` };
}
