import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownCommand } from '../../src/app/own-command.ts';

test('In a clone the program names its commands as npm scripts', () => {
  assert.equal(ownCommand('doctor'), 'npm run doctor');
  assert.equal(ownCommand('serve'), 'npm start');
  assert.equal(ownCommand('serve', '--port 4000'), 'npm start -- --port 4000');
  assert.equal(ownCommand('keys', 'create --name acme'), 'npm run keys -- create --name acme');
  assert.equal(ownCommand('keys', 'list [--json]'), 'npm run keys -- list [--json]');
  assert.equal(ownCommand('keys', 'list --json'), 'npm run --silent keys -- list --json');
  assert.equal(ownCommand('doctor', '--json'), 'npm run --silent doctor -- --json');
});

test('Where the package or the image is installed, the program names its commands as they are called there', () => {
  assert.equal(ownCommand('doctor', '', false), 'splwright doctor');
  assert.equal(ownCommand('keys', 'list --json', false), 'splwright keys list --json');
});
