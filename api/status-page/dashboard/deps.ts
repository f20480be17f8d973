import type { CodeLogin } from '../../../domain/identity/code-login.ts';
import type { DeploySource } from '../../../domain/status-page/ports.ts';
import type { Authenticate } from '../../http/caller.ts';
import type { IncidentsDeps } from '../../incidents/deps.ts';
import type { MonitorsDeps } from '../../monitors/deps.ts';
import type { NotificationsDeps } from '../../notifications/deps.ts';

/** How people sign in to the dashboard. */
export interface DashboardSignIn {
  /** The app's own: the token that a browser keeps is verified as any other, at every request. */
  readonly authenticate: Authenticate;
  /** Null where no identity provider is known: then nobody can sign in. */
  readonly login: CodeLogin | null;
  /** True where browsers come by https. */
  readonly secureCookies: boolean;
  /** Of the dashboard's own pages, such as `https://monitor.example.com`: forms of others are refused. */
  readonly origin: string;
}

export type DashboardDeps = MonitorsDeps &
  IncidentsDeps &
  Pick<NotificationsDeps, 'channels' | 'escalations' | 'recordChange'> &
  DashboardSignIn & {
    /** Null where no service registry is known: charts mark no deploys then. */
    readonly deploys: DeploySource | null;
  };
