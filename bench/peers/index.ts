import { fastifyFull, koaFull, koaNormal, nodeHttp } from './bare.ts';
import { documentVault } from './document-vault.ts';
import { jsonServer } from './json-server.ts';
import type { Peer } from './peer.ts';
import { prism } from './prism.ts';

/** In the order of the tables. */
export const peers: readonly Peer[] = [
  documentVault,
  koaNormal,
  koaFull,
  fastifyFull,
  jsonServer,
  prism,
  nodeHttp,
];
