/** The fetching end of the ucx transport. */
package io.spillway.transport.ucx.client;
