import type { WebModule } from '../page.ts';
import { cancelBuild, redeployBuild, retryBuild, rollBack } from './actions.ts';
import { buildPage } from './build-page.ts';
import { buildsPage } from './builds-page.ts';
import { logDownload } from './log-download.ts';
import { releasesPage } from './releases-page.ts';

/** Builds and releases. */
export const deploys: WebModule = {
  pages: [buildPage, buildsPage, releasesPage],
  actions: [cancelBuild, retryBuild, redeployBuild, rollBack],
  downloads: [logDownload],
};
