/** What a node gives to a transport, to be served by it, and the server that a transport makes. */
package io.spillway.transport.serve;
