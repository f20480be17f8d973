import { customDomainStoreSuite } from '../../ports/custom-domains/domain-store.ts';
import { createInMemoryCustomDomainStore } from './custom-domain-store.ts';

const domains = createInMemoryCustomDomainStore();
customDomainStoreSuite(() => domains);
