/**
 * What both ends of the ucx transport use: the library, one worker and its thread, messages, and
 * registered memory.
 */
package io.spillway.transport.ucx.worker;
