#!/usr/bin/env node
import { runCommandLine } from './program.ts';
import { processTerminal } from './terminal.ts';

// Whoever reads the output may have seen enough of it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal);
