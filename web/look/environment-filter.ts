import { type Html, html } from '../../api/http/pages/html.ts';
import { ENVIRONMENTS, type Environment } from '../../domain/environment.ts';

const LABELS: Readonly<Record<Environment, string>> = { prod: 'Production', sandbox: 'Sandbox', uat: 'Acceptance' };

/** One environment or, with `all`, each of them. @param path of the page; it takes `environment` in its query */
export function environmentFilter(
  path: string,
  current: Environment | null,
  { all = false, query = {} }: { readonly all?: boolean; readonly query?: Readonly<Record<string, string>> } = {},
): Html {
  const choices: readonly (readonly [Environment | null, string])[] = [
    ...(all ? [[null, 'All'] as const] : []),
    ...ENVIRONMENTS.map((name) => [name, LABELS[name]] as const),
  ];
  return html`<nav class="filter" aria-label="Environment">${choices.map(([name, label]) => {
    const asked = new URLSearchParams({ ...query, ...(name === null ? {} : { environment: name }) }).toString();
    return html`<a href="${asked === '' ? path : `${path}?${asked}`}"${name === current && html` aria-current="true"`}>${label}</a>`;
  })}</nav>`;
}
