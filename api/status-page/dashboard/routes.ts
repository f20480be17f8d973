import type { Route } from '../../http/define-route.ts';
import type { ErrorPage } from '../../http/error-handler.ts';
import { ERROR_STATUS } from '../../http/error-status.ts';
import { assetRoute } from '../../http/pages/assets.ts';
import { html } from '../../http/pages/html.ts';
import type { DashboardDeps } from './deps.ts';
import { escalationPages } from './escalation-page.ts';
import { incidentPageRoutes } from './incident-pages.ts';
import { sendDashboard } from './layout.ts';
import { listPage } from './list-page.ts';
import { loginRoutes } from './login-routes.ts';
import { monitorPageRoutes } from './monitor-page.ts';

/** The dashboard: people sign in at the identity provider and see what belongs to their org. */
export function dashboardRoutes(deps: DashboardDeps): readonly Route[] {
  return [
    ...loginRoutes(deps),
    assetRoute,
    listPage(deps),
    ...monitorPageRoutes(deps),
    ...incidentPageRoutes(deps),
    ...escalationPages(deps),
  ];
}

/** The page of an error of these pages, and of the status page. */
export const monitorErrorPage: ErrorPage = async (error, _request, response) => {
  const requestId = String(response.locals.requestId ?? '');
  const body = html`<p role="alert">${error.message}.</p><p class="quiet">Number of this request: <code>${requestId}</code></p>`;
  const status = ERROR_STATUS[error.code];
  const reply = sendDashboard(status === 404 ? 'Not found' : 'This did not work', body, status);
  if (typeof reply === 'function') await reply(response);
};
