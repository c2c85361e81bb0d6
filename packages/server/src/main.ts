#!/usr/bin/env node
import { runCommandLine } from './cli/program.ts';
import { processTerminal } from './cli/terminal.ts';
import { systemClock } from './lib/clock.ts';

// A reader such as `head` closes the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), {
  terminal: processTerminal,
  env: process.env,
  clock: systemClock,
});
