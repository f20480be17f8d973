import type { Answer, CallOptions } from '../support/start-idp.ts';

/** One request to a provider that runs somewhere; redirects are not followed. */
export async function callProvider(
  address: string,
  method: string,
  path: string,
  { json, form, headers }: CallOptions = {},
): Promise<Answer> {
  const body = json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json);
  const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
  const response = await fetch(address + path, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
}
