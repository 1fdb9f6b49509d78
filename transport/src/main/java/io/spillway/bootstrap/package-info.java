/**
 * How clients come to a node, whatever transport carries the bytes: by a connection on which both
 * sides prove themselves, tell each other where their endpoints of that transport are, and see when
 * the other side is gone. The connection itself is tcp's; a transport that begins with it uses this
 * package and no other transport.
 */
package io.spillway.bootstrap;
