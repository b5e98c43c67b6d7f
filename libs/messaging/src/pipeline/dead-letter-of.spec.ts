import { describe, expect, it } from '@jest/globals';

import { busNames } from '#contracts';

import { commandOf, copiedCommandOf, RECEIVED_AT_MS } from '../command/command.fixture.ts';
import { deadLetterOf } from './dead-letter-of.ts';

const NAMES = busNames('poker');

describe('deadLetterOf', () => {
  it('is a copy with the reason, the time and the queue that it came from', () => {
    const command = commandOf({ queue: 'poker.reports', headers: { operator: 'casino' } });
    const deadLetter = deadLetterOf(command, 'UNKNOWN_OPERATOR', NAMES, RECEIVED_AT_MS + 1);
    expect(deadLetter).toMatchObject({
      exchange: '',
      routingKey: 'poker.dead-letters',
      mandatory: true,
      content: command.delivery.message.content,
      properties: { messageId: 'm-1', type: 'session.create', replyTo: 'lobby' },
    });
    expect(deadLetter.properties.headers).toEqual({
      operator: 'casino',
      'x-deadline': RECEIVED_AT_MS + 15_000,
      'x-reason': 'UNKNOWN_OPERATOR',
      'x-failed-at': '2026-01-31T12:00:00.001Z',
      'x-origin-queue': 'poker.reports',
      'x-sequence': 1,
    });
  });

  it('cuts an oversized body to its first KiB, and tells its size', () => {
    const body = Buffer.from(`{"nick":"${'x'.repeat(70_000)}"}`);
    const command = commandOf({ body });
    expect(command.envelope.fault?.code).toBe('MESSAGE_TOO_LARGE');
    const { content, properties } = deadLetterOf(command, 'MESSAGE_TOO_LARGE', NAMES, RECEIVED_AT_MS);
    expect(content).toEqual(body.subarray(0, 1024));
    expect(properties.headers).toMatchObject({ 'x-origin-bytes': body.length });
  });

  it('keeps any other body whole', () => {
    const body = Buffer.from(`[${' '.repeat(60_000)}]`);
    const { content, properties } = deadLetterOf(
      commandOf({ body }),
      'MALFORMED_MESSAGE',
      NAMES,
      RECEIVED_AT_MS,
    );
    expect(content).toEqual(body);
    expect(properties.headers).not.toHaveProperty('x-origin-bytes');
  });

  it('tells its own reason if a redriven command carries an older one', () => {
    const headers = {
      'x-reason': 'NOT_FOUND',
      'x-failed-at': 'long ago',
      'x-origin-queue': 'q',
      'x-redriven': 1,
    };
    const deadLetter = deadLetterOf(copiedCommandOf({ headers }), 'INTERNAL_ERROR', NAMES, RECEIVED_AT_MS);
    expect(deadLetter.properties.headers).toMatchObject({
      'x-redriven': 1,
      'x-reason': 'INTERNAL_ERROR',
      'x-failed-at': '2026-01-31T12:00:00.000Z',
      'x-origin-queue': 'poker.interactive',
    });
  });
});
