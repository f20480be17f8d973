import type { WebModule } from '../page.ts';
import { walletPage } from './wallet-page.ts';

export const wallet: WebModule = { pages: [walletPage], actions: [] };
