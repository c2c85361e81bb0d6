#!/usr/bin/env node
import { runCommandLine } from './cli/program.ts';
import { processTerminal } from './cli/terminal.ts';
import { systemClock } from './clock.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  terminal: processTerminal,
  env: process.env,
  clock: systemClock,
});
