#!/usr/bin/env node
import { runCommandLine } from './program.ts';
import { processTerminal } from './terminal.ts';

// A pipe such as `| head` closes standard output early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal);
