//! The servers that a DSN names, in the order in which they are tried.

use super::invalid;
use crate::error::Result;

/// libpq would try its socket's directory first, which is another one with every packager.
const DEFAULT_HOST: &str = "localhost";

/// One server to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Host {
    /// `host`: a name, an address, or the directory of a socket. Certificates and password files know the server by it.
    pub(crate) name: Option<String>,
    /// `hostaddr`: where to connect when looking the name up is not wanted. One of the two is always there.
    pub(crate) address: Option<String>,
    pub(crate) port: u16,
}

impl Host {
    /// Where to connect.
    pub(crate) fn reach(&self) -> &str {
        let reach = self.address.as_deref().or(self.name.as_deref());
        reach.unwrap_or(DEFAULT_HOST)
    }

    /// What the server is known by.
    pub(crate) fn label(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.reach())
    }

    pub(crate) fn is_socket(&self) -> bool {
        self.reach().starts_with('/')
    }
}

/// Pairs names, addresses and ports: one port serves all hosts, an empty one is 5432.
pub(super) fn hosts(
    names: Option<&str>,
    addresses: Option<&str>,
    ports: Option<&str>,
) -> Result<Vec<Host>> {
    let names = listed(names);
    let addresses = listed(addresses);
    let count = names.len().max(addresses.len()).max(1);
    if !names.is_empty() && !addresses.is_empty() && names.len() != addresses.len() {
        return Err(invalid("there must be as many hosts as hostaddr values"));
    }
    let ports: Vec<u16> = ports
        .unwrap_or_default()
        .split(',')
        .map(port)
        .collect::<Result<_>>()?;
    if ports.len() > 1 && ports.len() != count {
        return Err(invalid("there must be one port, or as many as hosts"));
    }
    let nth = |list: &[Option<String>], index: usize| list.get(index).cloned().flatten();
    Ok((0..count)
        .map(|index| {
            let address = nth(&addresses, index);
            let fallback = || address.is_none().then(|| DEFAULT_HOST.to_owned());
            Host {
                name: nth(&names, index).or_else(fallback),
                address,
                port: ports.get(index).or(ports.first()).copied().unwrap_or(5432),
            }
        })
        .collect())
}

/// The items of a list, where an empty one stands for the default.
fn listed(text: Option<&str>) -> Vec<Option<String>> {
    text.map_or_else(Vec::new, |text| {
        let items = text.split(',').map(str::trim);
        items
            .map(|item| (!item.is_empty()).then(|| item.to_owned()))
            .collect()
    })
}

fn port(text: &str) -> Result<u16> {
    match text.trim() {
        "" => Ok(5432),
        text => text
            .parse()
            .ok()
            .filter(|port| *port > 0)
            .ok_or_else(|| invalid("a port must be a number from 1 to 65535")),
    }
}
