import { FairleadError } from '../../../domain/errors.ts';
import type { Monitor } from '../../../domain/monitors/monitor.ts';
import { isByHand } from '../../../domain/monitors/registration.ts';
import type { ServiceDeploy } from '../../../domain/status-page/ports.ts';
import { type Html, html } from '../../http/pages/html.ts';
import type { DashboardDeps } from './deps.ts';
import { deployTitle } from './response-chart.ts';

const LISTED = 10;

/** The deploys of what a monitor watches since a time, oldest first; null where the service registry does not answer. */
export async function readDeploys(
  { deploys }: Pick<DashboardDeps, 'deploys'>,
  monitor: Monitor,
  since: Date,
): Promise<readonly ServiceDeploy[] | null> {
  if (deploys === null || isByHand(monitor)) return [];
  try {
    return await deploys.list(monitor, since);
  } catch (error) {
    // Whatever a registry of another version says: the page is of the monitor.
    if (error instanceof FairleadError) return null;
    throw error;
  }
}

/** The newest of them in words: what a drawing shows by lines alone. */
export function deployList(deploys: readonly ServiceDeploy[] | null): Html | false {
  if (deploys === null)
    return html`<p class="quiet">The service registry does not answer, so no deploys are marked.</p>`;
  if (deploys.length === 0) return false;
  const newest = deploys.slice(-LISTED).reverse();
  const left = deploys.length - newest.length;
  return html`<ul class="rows" aria-label="Deploys">${newest.map((deploy) => html`<li>${deployTitle(deploy)}</li>`)}</ul>
${left > 0 && html`<p class="quiet">and ${left} earlier ones</p>`}`;
}
