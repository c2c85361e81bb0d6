// A page with the checkpoints of IndexedDB.
import { indexedDbCheckpoints } from '@document-vault/sdk/stores';

Object.assign(window, { checkpointsOf: indexedDbCheckpoints });
