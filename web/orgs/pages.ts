import type { WebModule } from '../page.ts';
import { invite, withdrawInvite } from './invite-actions.ts';
import { memberActions } from './member-actions.ts';
import { memberPage } from './member-page.ts';
import { orgActivityPage } from './org-activity-page.ts';
import { chooseOrg, createOrg, orgListPage } from './org-list-page.ts';
import { orgDetailPage } from './org-page.ts';
import { orgSettingsPage } from './org-settings-page.ts';
import { settingsActions } from './settings-actions.ts';

export const orgs: WebModule = {
  pages: [orgListPage, orgDetailPage, memberPage, orgSettingsPage, orgActivityPage],
  actions: [createOrg, chooseOrg, invite, withdrawInvite, ...memberActions, ...settingsActions],
};
